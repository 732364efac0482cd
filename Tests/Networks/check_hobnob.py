# SPDX-License-Identifier: GPL-3.0-or-later
"""The same with hobnob itself, which scripts drive: an account on Matrix, and one on Delta Chat.

HOBNOB is the program hobnob, with hobnob-bridge beside it; by default the one in .build/debug."""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import check_deltachat
import check_matrix
from deltachat_peer import DeltaChatPeer
from matrix_peer import MatrixPeer
from scenes import counted
from servers import ROOT, Mail, Synapse
from steps import check, step

HOBNOB = os.environ.get("HOBNOB", os.path.join(ROOT, ".build/debug/hobnob"))


class Hobnob:
    """Anna, with a store and a home of her own."""

    def __init__(self, folder: str, account: str, options: dict):
        self.account, self.home = account, folder + "/home"
        networks = self.home + "/.config/hobnob/networks"
        for path in (networks, folder + "/store"):
            os.makedirs(path, mode=0o700)
        for name in ("matrix", "deltachat"):
            target = f"{networks}/hobnob-net-{name}"
            with open(f"{ROOT}/share/networks/hobnob-net-{name}") as source, open(target, "w") as copy:
                copy.write(source.read())
            os.chmod(target, 0o700)
        with open(self.home + "/secret", "w") as file:
            file.write("secret\n")
        self.environment = {
            "HOME": self.home, "LANG": "C.UTF-8", "TERM": "dumb",
            "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}
        self.name = ["--store", folder + "/store/store", "--as", "anna"]
        self.changes: list[dict] = []
        self.changed = threading.Condition()
        self.process = None
        self.shell(f"/account add {account} " + " ".join(
            f"--{name} {value}" for name, value in options.items()),
            f"/account set {account} password-command cat {self.home}/secret")
        # The shell has started a process that would serve the account for another minute.
        for process in processes(folder + "/store/store"):
            end(process)
        self.watcher = subprocess.Popen([HOBNOB, "watch", *self.name, "--json"], env=self.environment,
                                        stdout=subprocess.PIPE)
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self) -> None:
        for text in self.watcher.stdout:
            with self.changed:
                self.changes.append(json.loads(text))
                self.changed.notify_all()

    def wait(self, condition, seconds: float = 60):
        """Waits until a condition is true, which is tried after each change that hobnob reports."""
        end = time.monotonic() + seconds
        with self.changed:
            while not (found := condition()) and time.monotonic() < end:
                self.changed.wait(0.5)
        return found

    def change(self, seconds: float = 60, **members) -> dict | None:
        return self.wait(lambda: next((each for each in self.changes if all(
            each.get(name) == value for name, value in members.items())), None), seconds)

    def run(self, *words: str, lines: str = "", seconds: float = 60) -> str:
        done = subprocess.run([HOBNOB, *words[:1], *self.name, *words[1:]], env=self.environment,
                              input=lines, capture_output=True, text=True, timeout=seconds)
        if done.returncode:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def shell(self, *lines: str) -> str:
        return self.run("open", "lobby", lines="".join(line + "\n" for line in lines))

    def connect(self) -> None:
        # A killed process may hold the account's lock for another moment.
        for _ in range(50):
            self.process = subprocess.Popen(
                [HOBNOB, "connect", *self.name, self.account], env=self.environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while self.process.poll() is None:
                if children(self.process.pid):
                    return
                time.sleep(0.01)
        raise AssertionError(self.process.stderr.read())

    def log_in(self) -> None:
        self.connect()
        check("started", bool(self.wait(lambda: children(self.process.pid))), True)
        check("logged in", bool(self.wait(lambda: "  connected" in self.shell("/account"))), True)

    def kill(self) -> None:
        """Kills what serves the account: the process, its helper and the program."""
        helpers = children(self.process.pid)
        for process in [each for helper in helpers for each in children(helper)] + [
                self.process.pid, *helpers]:
            end(process)
        self.process.wait()

    def messages(self, conversation: str) -> list[dict]:
        return [json.loads(line) for line in self.run("log", conversation, "--json", "--since", "1h").splitlines()]

    def stop(self) -> None:
        for process in (self.process, self.watcher):
            process.terminate()
            process.wait(20)


def end(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def processes(store: str) -> list[int]:
    """Those that serve accounts of a store, which is a test's own."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if os.path.realpath(store).encode() in words and words[0].endswith((b"/hobnob-bridge", b"/hobnob-xmpp")):
            found.append(int(process))
    return found


def children(process: int) -> list[int]:
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [int(each) for each in file.read().split()]
    except OSError:
        return []


def short(folder: str) -> None:
    if is_there():
        matrix(folder, 0)


def long(folder: str) -> None:
    if is_there():
        matrix(folder, 30)
        deltachat(folder, 30)


def is_there() -> bool:
    if os.access(os.path.join(os.path.dirname(HOBNOB), "hobnob-bridge"), os.X_OK):
        return True
    print(f"skipped: there is no hobnob-bridge beside {HOBNOB}")
    return False


class Kettle:
    """Ben on Matrix, in the room tea."""

    def __init__(self, ben: MatrixPeer):
        self.ben = ben
        self.room = ben.make_room("tea", [check_matrix.ANNA])

    def say(self, text: str) -> str: return self.ben.say(self.room, text)
    def edit(self, id: str, text: str) -> None: self.ben.edit(self.room, id, text)
    def react(self, id: str, emoji: str) -> None: self.ben.react(self.room, id, emoji)
    def texts(self) -> list[str]: return self.ben.bodies(self.room, check_matrix.ANNA)

    def see(self, text: str) -> str:
        id = self.ben.event(body=text).event_id
        self.ben.see(self.room, id)
        return id

    def has_edit(self, text: str) -> bool: return bool(self.ben.event(body="* " + text))

    def has_reaction(self, id: str, emoji: str) -> bool:
        return bool(self.ben.wait(lambda: any(
            event.source["content"].get("m.relates_to", {}).get("key") == emoji
            for _, event in self.ben.events)))


class Letters:
    """Ben on Delta Chat."""

    def __init__(self, ben: DeltaChatPeer, chat): self.ben, self.chat = ben, chat
    def say(self, text: str): return self.chat.send_text(text)
    def edit(self, id, text: str) -> None: self.ben.rpc.send_edit_request(self.ben.account.id, id.id, text)
    def react(self, id, emoji: str) -> None: id.send_reaction(emoji)

    def texts(self) -> list[str]:
        return [each["text"] for each in self.ben.all(self.chat) if each["fromId"] > 9]

    def see(self, text: str):
        message = self.ben.about(self.ben.message(text))
        message.mark_seen()
        return message

    def has_edit(self, text: str) -> bool: return bool(self.ben.message(text))

    def has_reaction(self, id, emoji: str) -> bool:
        return bool(self.ben.wait(lambda: emoji in str(
            self.ben.rpc.get_message(self.ben.account.id, id.id)["reactions"])))


def matrix(folder: str, count: int) -> None:
    server = Synapse(folder + "/synapse")
    ben = MatrixPeer(server, folder + "/ben")
    anna = Hobnob(folder + "/matrix", "matrix:" + check_matrix.ANNA, {"server": server.url})
    with step("Matrix: enter a room", needed=True):
        peer = Kettle(ben)
        anna.log_in()
        anna.shell(f"/join matrix:{peer.room}")
        check("the room", anna.wait(lambda: "#tea" in anna.run("list", "--json")), True)
    talk(anna, peer, "tea", folder, count)
    anna.stop()
    ben.stop()
    server.stop()


def deltachat(folder: str, count: int) -> None:
    server = Mail(folder + "/mail")
    ben = DeltaChatPeer(server, folder + "/ben-mail/core")
    account = "deltachat:" + check_deltachat.ANNA
    anna = Hobnob(folder + "/deltachat", account, {
        "imap": f"127.0.0.1:{server.imap}", "smtp": f"127.0.0.1:{server.smtp}", "security": "plain"})
    with step("Delta Chat: meet ben", needed=True):
        anna.log_in()
        anna.shell(f"/contact add {ben.account.get_qr_code()}")
        def met(): return [each for each in ben.rpc.get_contacts(ben.account.id, 0, None) if each["id"] > 9]
        check("ben has anna's key", bool(ben.wait(met)), True)
        chat = ben.account.get_contact_by_id(met()[0]["id"]).create_chat()
        check("ben can write", ben.wait(chat.can_send), True)
    talk(anna, Letters(ben, chat), "@" + check_deltachat.BEN, folder, count)
    anna.stop()
    server.stop()


def talk(anna: Hobnob, peer, conversation: str, folder: str, count: int) -> None:
    with step("text both ways, edits, reactions, receipts"):
        theirs = peer.say("hello anna")
        number = (anna.change(text="hello anna") or {}).get("number")
        check("at hobnob", number is not None, True)
        sent = json.loads(anna.run("send", conversation, "hello *ben*", "--wait", "sent", "--json"))
        mine = peer.see("hello *ben*")
        check("ben has seen it", bool(anna.wait(lambda: any(
            each["type"] in ("reader", "message") and (each.get("seen") == sent["number"] or
            each.get("state") == "seen") for each in anna.changes))), True)
        peer.edit(theirs, "hello, anna")
        check("an edit of ben", bool(anna.change(text="hello, anna", change="edited")), True)
        peer.react(mine, "👍")
        check("a reaction of ben", bool(anna.change(type="reaction", emoji="👍")), True)
        anna.run("edit", conversation, str(sent["number"]), "hello, ben")
        check("an edit", peer.has_edit("hello, ben"), True)
        anna.run("react", conversation, str(number), "🎉")
        check("a reaction", peer.has_reaction(theirs, "🎉"), True)
        anna.run("read", conversation)
        anna.run("send", conversation, "why?", "--reply", str(number), "--wait", "sent")
        check("a reply", "why?" in peer.texts() or bool(peer.ben.wait(lambda: "why?" in peer.texts())), True)
    with step("a file"):
        with open(folder + "/note.txt", "w") as file:
            file.write("milk")
        anna.run("send", conversation, "a note", "--attach", folder + "/note.txt", "--wait", "sent")
        check("its text", peer.ben.wait(lambda: "a note" in peer.texts()), True)
    if count:
        with step(f"{count} kills"):
            kills(anna, peer, conversation, count)


def kills(anna: Hobnob, peer, conversation: str, count: int) -> None:
    random.seed(7)
    mine, theirs = [], []
    for round in range(count):
        mine.append(f"m{round}")
        anna.run("send", conversation, mine[-1])
        theirs.append(f"t{round}")
        peer.say(theirs[-1])
        time.sleep(random.random() * 1.5)
        anna.kill()
        anna.connect()
    check("at ben", peer.ben.wait(lambda: len(counted(peer.texts(), "m")) >= len(mine)) and
          counted(peer.texts(), "m"), mine)
    def got(sign: str) -> list[str]:
        return counted([each.get("text", "") for each in anna.messages(conversation)], sign)
    check("at hobnob", sorted(anna.wait(lambda: len(got("t")) >= len(theirs)) and got("t")), sorted(theirs))
    check("own", got("m"), mine)
    check("states", anna.wait(lambda: not [each["text"] for each in anna.messages(conversation)
                              if each.get("state") == "sending" or each.get("outbox")]), True)
