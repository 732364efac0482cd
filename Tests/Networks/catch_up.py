#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how fast hobnob catches up with encrypted messages on XMPP: catch_up.py [--offline] [COUNT].

Ben, who has hobnob as well, writes COUNT lines (10,000) while anna is away; then her process starts. The
same lines without encryption show what the rest of it takes. The archive is in the server's memory, since
Prosody otherwise reads all of it for each page. With --offline the server also sends the lines by
itself when she is back, each as it would send a new one, which takes longer.

HOBNOB is the program hobnob; by default the one in .build/debug."""
import glob
import os
import shutil
import sqlite3
import sys
import tempfile
import time

import check

check.use_packages()
from check_hobnob import HOBNOB, Hobnob, children
from servers import Prosody, running

ANNA, BEN = "anna@chat.localhost", "ben@chat.localhost"
SETTINGS = 'storage = { archive = "memory" }\nstorage_archive_item_limit = 1000000\n'
if "--offline" not in sys.argv:
    SETTINGS += 'modules_disabled = { "s2s", "offline" }\n'


def measure(folder: str, count: int, is_encrypted: bool) -> float:
    """The messages that hobnob takes in a second."""
    server = Prosody(folder + "/prosody", SETTINGS)
    options = {"host": "127.0.0.1", "port": server.port, "ca": server.ca}
    anna = Hobnob(folder + "/anna", "xmpp:" + ANNA, options)
    ben = Hobnob(folder + "/ben", "xmpp:" + BEN, options)
    for each, other in ((anna, BEN), (ben, ANNA)):
        each.log_in()
        each.shell("/msg " + other)
    # Each answers once, so that the session is as between people who know each other.
    for each, other, text in ((ben, ANNA, "hello"), (anna, BEN, "hello, ben"), (ben, ANNA, "good")):
        each.run("send", "@" + other, text, "--wait", "sent")
        (anna if each is ben else ben).change(text=text)
    anna.kill()
    if not is_encrypted:  # as /encrypt off, which needs a terminal
        ben.kill()
        for path in glob.glob(ben.home + "/.local/state/hobnob/servers/*/omemo.sqlite"):
            keys = sqlite3.connect(path, isolation_level=None)
            keys.execute("UPDATE chat SET wanted = 0")
            keys.close()
        ben.connect()
    lines = [f"line {number} of what ben wrote while anna was away" for number in range(count)]
    ben.run("open", "@" + ANNA, lines="".join(line + "\n" for line in lines[:-1]), seconds=600)
    ben.run("send", "@" + ANNA, lines[-1], "--wait", "sent", "--timeout", "1200", seconds=1200)
    ben.kill()
    begun, before = time.monotonic(), time_used(server.process.pid)
    anna.connect()
    assert anna.change(text=lines[-1], seconds=1200)
    taken = time.monotonic() - begun
    server_time = time_used(server.process.pid) - before
    own_time = sum(map(time_used, (anna.process.pid, *children(anna.process.pid))))
    got = [each for each in anna.messages("@" + BEN) if each.get("text") in set(lines)]
    assert [each["text"] for each in got] == lines
    assert all(bool(each.get("encrypted")) == is_encrypted for each in got)
    print(f"{'encrypted' if is_encrypted else 'plain'}: {taken:.1f} s, {count / taken:.0f} a second; "
          f"processor time of the server {server_time:.1f} s, of hobnob {own_time:.1f} s", flush=True)
    for each in (anna, ben):
        each.stop()
    server.stop()
    return count / taken


def time_used(process: int) -> float:
    """The seconds of processor time that a process has used."""
    with open(f"/proc/{process}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    counts = [int(each) for each in sys.argv[1:] if each.isdigit()]
    folder = tempfile.mkdtemp(prefix="hobnob-catch-up-")
    try:
        print(HOBNOB, flush=True)
        for is_encrypted in (False, True):
            measure(f"{folder}/{is_encrypted}", *counts or [10_000], is_encrypted)
        shutil.rmtree(folder)
    finally:
        for server in list(running):
            server.stop()


if __name__ == "__main__":
    main()
    os._exit(0)  # whatever threads are left
