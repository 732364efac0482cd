#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of a network that does harm, in the way that its option "harm" names; "seed" chooses what
it writes. The file of its option "started" tells how often it was started."""
import json
import os
import random
import sys


def write(text):
    os.write(1, text if isinstance(text, bytes) else text.encode())


def line(**members):
    return json.dumps(members) + "\n"


write(line(type="hello", version=1, network="Harm", example="me", secret=False))
settings = json.loads(sys.stdin.readline())["settings"]
harm, dice = settings["harm"], random.Random(int(settings["seed"]))
with open(settings["started"], "a") as file:
    file.write("x")
write(line(type="up"))
write(line(type="room", room="tea", people=[{"identity": "eve", "name": "Eve"}]))
TYPES = ["message", "edited", "deleted", "reaction", "room", "here", "gone", "renamed", "topic", "invited",
         "person", "wants_contact", "notice", "typing", "receipt", "read", "can", "answer", "sent", "failed",
         "keep", "mark", "page", "gap", "begin", "commit", "status", "ask", "removed", "offline", "nothing"]
TEXTS = ["", "tea", "eve", "me", "\x1b]0;x\x07", "\u202e", "\0", "a" * 5000, "e\u0301" * 300, "/quit", "../..",
         "#lobby", "@anna", "1"]


def value(depth=0):
    kind = dice.randrange(8)
    if kind < 3:
        return dice.choice(TEXTS)
    if kind < 5:
        return dice.choice([0, 1, -1, 2 ** 63 - 1, 2 ** 80, 1e300, True, False, None])
    if depth > 3 or kind == 5:
        return {dice.choice(["room", "person"]): dice.choice(TEXTS)}
    if kind == 6:
        return [value(depth + 1) for _ in range(dice.randrange(4))]
    return {dice.choice(["path", "name", "start", "end", "id", "text"]): value(depth + 1) for _ in range(3)}


def odd():
    members = {name: value() for name in dice.sample(
        ["id", "sender", "mine", "text", "time", "room", "identity", "name", "entry", "request", "all", "emoji",
         "people", "files", "ids", "state", "mark", "archive", "value", "batch", "uid", "reply_to"], 8)}
    if dice.randrange(4):
        members["conversation"] = {"room": "tea"}
    return line(type=dice.choice(TYPES), **members)


if harm == "odd":
    for _ in range(3000):
        text = odd().encode()
        if not dice.randrange(20):
            text = bytes(dice.randrange(256) for _ in range(200)) + b"\n"
        write(text)
elif harm == "flood":
    for number in range(20000):
        write(line(type="typing", conversation={"room": "tea"}, sender="eve", active=True))
        write(b"no JSON\n")
elif harm == "endless":
    while True:
        write(b"x" * 65536)
elif harm == "batches":
    write(line(type="begin"))
    while True:
        write(line(type="message", conversation={"room": "tea"}, id="1", sender="eve", text="x" * 10000))
elif harm == "mute":
    for number in range(100000):
        write(line(type="begin") + line(type="commit", batch=number))
write(line(type="message", conversation={"room": "tea"}, id="last", sender="eve", text="the last one"))
while os.read(0, 1 << 16):
    pass
