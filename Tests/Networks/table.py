# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines between hobnob and a network's program, as hobnob-bridge(7) has them; stricter than
hobnob, which skips what it does not know."""
import re

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
VERBS = {"topic", "invite", "kick", "ban", "unban", "op", "deop", "subscribe", "approve",
         "unsubscribe", "decline", "block", "unblock", "presence", "whois", "mode", "ctcp", "fetch",
         "fetchUnasked", "abilities"}


def text(value): return isinstance(value, str)
def flag(value): return isinstance(value, bool)
def number(value): return isinstance(value, int) and not flag(value) and value >= 0
def time(value): return text(value) and TIME.fullmatch(value)
def limit(value): return flag(value) or number(value)
def word(*words): return lambda value: value in words
def many(form): return lambda value: isinstance(value, list) and all(map(form, value))
def id(value): return text(value) and 1 <= len(value.encode()) <= 1024


def thing(always: dict, maybe: dict):
    """An object with these members, and no others."""
    def fits(value):
        return isinstance(value, dict) and set(always) <= set(value) and all(
            name in {**always, **maybe} and {**always, **maybe}[name](member)
            for name, member in value.items())
    return fits


def place(value):
    return isinstance(value, dict) and len(value) == 1 and all(
        name in ("room", "person") and text(address) and address for name, address in value.items())


HERE = {"conversation": place}
ACTOR = {"sender": text, "mine": flag, "name": text}
CAN = thing({}, {
    "edit": limit, "delete": flag, "react": word("one", "several"), "reply": flag, "typing": flag,
    "delivered": flag, "seen": flag, "file": limit, "message": number, "block": flag,
    "history": flag, "requests": many(lambda verb: verb in VERBS)})
QUOTE = thing({"id": id}, {"sender": text, "mine": flag, "text": text})
MENTION = thing({"start": number, "end": number, "identity": text}, {})
FILE = {"path": text, "name": text, "media_type": text, "bytes": number}
PERSON = {"name": text, "rank": text, "away": text}

# What a program writes: the members that are always there, and those that may be.
TYPES = {
    "hello": ({"version": number, "network": text}, {
        "example": text, "people": word("everywhere", "room"),
        "fold": word("none", "ascii", "rfc1459", "rfc1459-strict", "unicode"), "secret": flag,
        "window": number, "can": CAN, "can_direct": CAN}),
    "up": ({}, {}),
    "down": ({"reason": text}, {"final": flag, "secret": flag}),
    "status": ({}, {"activity": word("catching-up"), "received": number, "percent": number}),
    "message": ({**HERE, "id": id, "text": text}, {
        **ACTOR, "uid": text, "time": time, "kind": word("text", "action", "notice"),
        "reply_to": QUOTE, "mentions": many(MENTION), "links": many(text),
        "files": many(thing({"path": text}, FILE)), "past": flag}),
    "edited": ({**HERE, "id": id, "text": text}, {**ACTOR, "time": time, "change": id}),
    "deleted": ({**HERE, "id": id}, {**ACTOR, "time": time}),
    "removed": ({**HERE, "id": id}, {"by": text, "reason": text, "time": time}),
    "reaction": ({**HERE, "id": id}, {
        **ACTOR, "author": text, "author_mine": flag, "emoji": text, "removed": flag,
        "all": many(text), "time": time, "change": id}),
    "sent": ({"entry": number, "id": id}, {}),
    "part": ({"entry": number, "id": id}, {}),
    "failed": ({"entry": number, "reason": text}, {"maybe": flag}),
    "bounced": ({**HERE, "id": id, "reason": text}, {}),
    "receipt": ({**HERE, "sender": text, "state": word("delivered", "seen")}, {
        "id": id, "ids": many(id)}),
    "read": ({**HERE}, {"id": id, "time": time}),
    "typing": ({**HERE, "sender": text, "active": flag}, {"name": text}),
    "room": ({"room": text}, {
        "name": text, "topic": text, "nick": text, "people": many(thing({"identity": text}, PERSON))}),
    "left": ({"room": text}, {"reason": text}),
    "lost": ({"room": text}, {"reason": text}),
    "here": ({"room": text, "identity": text}, PERSON),
    "gone": ({"room": text, "identity": text}, {"reason": text}),
    "renamed": ({"identity": text, "name": text, "former": text}, {"room": text}),
    "ranked": ({"room": text, "identity": text, "rank": text}, {}),
    "topic": ({"room": text, "text": text}, {**ACTOR, "time": time}),
    "invited": ({"room": text, "sender": text}, {"name": text}),
    "person": ({"identity": text}, {"name": text, "online": flag, "away": text, "contact": flag}),
    "wants_contact": ({"identity": text}, {"name": text}),
    "notice": ({"text": text}, {"sender": text, "name": text}),
    "can": ({**HERE}, {"can": CAN}),
    "answer": ({"request": number}, {"text": text}),
    "fetched": ({"request": number, "path": text}, FILE),
    "ask": ({"ask": text, "text": text}, {"qr": text, "secret": flag}),
    "keep": ({"name": text, "value": text}, {}),
    "mark": ({"mark": text}, {"archive": text}),
    "page": ({**HERE}, {"from": text, "until": text}),
    "gap": ({**HERE}, {}),
    "begin": ({}, {}),
    "commit": ({}, {"batch": number}),
    "offline": ({}, {}),
}
OF_SOMEBODY = ("message", "edited", "deleted", "reaction")


def faults(line) -> list[str]:
    """What is wrong with a line."""
    if not isinstance(line, dict) or line.get("type") not in TYPES:
        return [f"no type: {line}"]
    always, maybe = TYPES[line["type"]]
    found = [f"no member {name}" for name in always if name not in line]
    for name, value in line.items():
        form = {**always, **maybe, "type": text}.get(name)
        if form is None:
            found.append(f"a member {name}")
        elif not form(value):
            found.append(f"{name} is {value!r}")
    if line["type"] in OF_SOMEBODY:
        if ("sender" in line) == bool(line.get("mine")):
            found.append("neither sender nor mine, or both")
        person = line.get("conversation", {}).get("person")
        if person and not line.get("mine") and line.get("sender") != person:
            found.append("a sender who is not the person of the direct chat")
    if line["type"] == "reaction" and ("emoji" in line) == ("all" in line):
        found.append("neither emoji nor all, or both")
    return [f"{fault} in {str(line)[:300]}" for fault in found]
