# SPDX-License-Identifier: GPL-3.0-or-later
"""What is the same on every network: files, a program that is not there, one that is killed."""
import contextlib
import random
import re
import time

from steps import check


def counted(texts: list[str], signs: str) -> list[str]:
    """The texts that are one of the signs and a number."""
    return [text for text in texts if re.fullmatch(f"[{signs}][0-9.]+", text)]


def make_files(folder: str, types: dict[str, str]) -> list[dict]:
    """Files to send: their types by their names."""
    files = []
    for name, type in types.items():
        files.append({"path": f"{folder}/{name}", "name": name, "bytes": 12, "media_type": type})
        with open(files[-1]["path"], "w") as file:
            file.write("file " + name)
    return files


@contextlib.contextmanager
def program_down(host, here: dict, who: str, say, count: int):
    """While the program does not run, somebody says so many things, and more happens in the block."""
    host.stop()
    said = [f"missed {number}" for number in range(count)]
    for text in said:
        say(text)
    yield
    host.start()
    def got(): return [text for text in host.texts(here, who) if text.startswith("missed")]
    check("what was missed", host.wait(lambda: len(got()) == len(said), 60) and got(), said)


def kills(host, here: dict, who: str, say, at_peer, arranged=list, is_down_written=True) -> None:
    """Kills the program 30 times while both write.

    `say` lets the other write, and `at_peer` returns the texts that they have once a condition on
    these is true. `arranged` is `sorted` if the network does not keep the order of messages. `is_down_written`:
    whether the other also writes while the program is down."""
    random.seed(7)
    mine, theirs = [], []
    for round in range(30):
        for number in range(3):
            mine.append(f"m{round}.{number}")
            host.send(here, mine[-1])
        theirs.append(f"t{round}")
        say(theirs[-1])
        time.sleep(random.random() * 0.4)
        host.kill()
        if is_down_written:
            theirs.append(f"w{round}")
            say(theirs[-1])
        host.launch()
        # Some kills come while it logs in.
        if round % 3:
            host.wait(lambda: host.is_up)
    check("no entry is left", host.wait(lambda: not host.waiting(), 90), True)
    check("at the other", counted(at_peer(
        lambda texts: len(counted(texts, "m")) >= len(mine)), "m"), mine)
    def got(): return counted(host.texts(here, who), "tw")
    check("at hobnob", arranged(
        host.wait(lambda: len(got()) >= len(theirs), 90) and got()), arranged(theirs))
    check("own", counted(host.texts(here, "me"), "m"), mine)
    check("states", host.rows(
        "SELECT count(*) FROM message WHERE state NOT IN ('', 'sent', 'failed')"), [(0,)])
