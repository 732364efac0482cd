# SPDX-License-Identifier: GPL-3.0-or-later
"""Encrypted chats on XMPP (OMEMO): hobnob, and slixmpp-omemo, write to each other while their links are
cut and both are killed. --seed=N repeats what happened in a run with that seed."""
import json
import os
import random
import subprocess
import sys
import time

from check_hobnob import Hobnob
from link import Link
from servers import ROOT, Prosody
from steps import check, step

ANNA, BEN = "anna@chat.localhost", "ben@chat.localhost"
HERE = os.path.dirname(os.path.abspath(__file__))


class Ben:
    """Ben, whose program keeps all in a file."""

    def __init__(self, server: Prosody, folder: str, versions: list[str]):
        self.link, self.state = Link(server.port), folder + "/ben.json"
        self.command = ["/usr/bin/python3", "-B", HERE + "/omemo_peer.py", BEN, "secret", "127.0.0.1",
                        str(self.link.port), server.ca, self.state, ",".join(versions), ANNA]
        self.environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": ROOT + "/.build/omemo"}
        self.log = open(folder + "/ben.log", "ab")
        self.wanted = 0
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE,
                                        stdout=self.log, stderr=self.log)
        self.write(self.wanted)

    def write(self, count: int) -> None:
        """Writes texts until there are so many, "t0", "t1" and so on."""
        self.wanted = count
        self.process.stdin.write(b"%d\n" % count)
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def read(self) -> dict:
        try:
            with open(self.state) as file:
                return json.load(file)["peer"]
        except FileNotFoundError:
            return {"starts": 0, "texts": [], "unreadable": [], "count": 0, "outbox": {}}


def short(folder: str) -> None:
    torment(folder, ["legacy"], 5, 20)


def long(folder: str) -> None:
    torment(folder, ["2", "legacy"], 50, 20)


def seed() -> int:
    given = [int(each.removeprefix("--seed=")) for each in sys.argv if each.startswith("--seed=")]
    return given[0] if given else int(time.time())


def torment(folder: str, versions: list[str], rounds: int, count: int) -> None:
    """Both write so many lines in each round, while something breaks."""
    number = seed()
    print(f"--seed={number}", flush=True)
    dice = random.Random(number)
    server = Prosody(folder + "/prosody")
    link = Link(server.port)
    anna = Hobnob(folder + "/anna", "xmpp:" + ANNA, {
        "host": "127.0.0.1", "port": link.port, "ca": server.ca})
    mine = [f"m{each}" for each in range(rounds * count)]
    theirs = [f"t{each}" for each in range(rounds * count)]

    def lines(name: str) -> list[dict]:
        return [each for each in anna.messages("@" + BEN) if each["type"] == "message" and each["name"] == name]

    def texts(name: str) -> list[str]: return [each.get("text", "") for each in lines(name)]

    with step("both meet", needed=True):
        anna.log_in()
        ben = Ben(server, folder, versions)
        check("ben is up", anna.wait(lambda: ben.read()["starts"]), 1)
        anna.shell("/msg " + BEN)
        # Of two sessions that begin at the same time, python-omemo forgets its own, which hobnob goes
        # on with; so one of them begins.
        anna.run("open", "@" + BEN, lines=mine[0] + "\n")
        check("at ben", anna.wait(lambda: ben.read()["texts"]), mine[:1])
        ben.write(1)
        check("at anna", anna.wait(lambda: texts("ben")), theirs[:1])
    broken = {"anna is killed": 0, "ben is killed": 0, "anna's link is cut": 0, "ben's link is cut": 0}

    def hurt(what: str) -> None:
        broken[what] += 1
        starts = ben.read()["starts"]
        match what:
            case "anna is killed":
                anna.kill()
                anna.connect()
            case "ben is killed":
                ben.kill()
                ben.start()
            case "anna's link is cut":
                link.cut()
                anna.shell("/connect")
            case "ben's link is cut":
                ben.link.cut()
        if what.startswith("ben"):
            check(what + "; ben is up again", bool(anna.wait(lambda: ben.read()["starts"] > starts)), True)

    with step(f"{len(mine)} texts each way, while links are cut and both are killed"):
        for round in range(rounds):
            ben.write((round + 1) * count)
            begun = max(1, round * count)
            anna.run("open", "@" + BEN, lines="".join(
                text + "\n" for text in mine[begun:(round + 1) * count]))
            for _ in range(dice.randint(1, 3)):
                time.sleep(dice.random() * 0.6)
                hurt(dice.choice(list(broken)))
        print(", ".join(f"{what}: {times}" for what, times in broken.items()), flush=True)
        check("all lines are sent", anna.wait(lambda: not [
            each for each in anna.messages("@" + BEN)
            if each.get("outbox") or each.get("state") == "sending"], 120), True)
        check("ben has sent all", anna.wait(
            lambda: ben.read()["count"] == len(theirs) and not ben.read()["outbox"], 60), True)
        check("ben has read", anna.wait(
            lambda: len(ben.read()["texts"]) >= len(mine), 30) and ben.read()["texts"], mine)
        check("what ben could not read", ben.read()["unreadable"], [])
        anna.wait(lambda: len(texts("ben")) >= len(theirs), 30)
        check("anna has read", texts("ben"), theirs)
        check("anna's own", texts("anna"), mine)
        check("what was not encrypted", [
            each for each in lines("ben") + lines("anna") if not each.get("encrypted")], [])
    ben.kill()
    anna.stop()
    server.stop()
