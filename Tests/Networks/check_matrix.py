# SPDX-License-Identifier: GPL-3.0-or-later
"""What hobnob-net-matrix does with Synapse, between the stand-in for hobnob and matrix-nio."""
import json
import os
import sys

import nio

from host import Host
from matrix_peer import MatrixPeer
from scenes import kills, make_files, program_down
from servers import ROOT, Synapse
from steps import check, step

PROGRAM = [sys.executable, os.path.join(ROOT, "share/networks/hobnob-net-matrix")]
ANNA = "@anna:matrix.localhost"


class Matrix:
    def __init__(self, folder: str):
        self.folder = folder
        self.server = Synapse(folder + "/synapse")
        self.ben = MatrixPeer(self.server, folder + "/ben")
        self.host = Host(PROGRAM, "matrix:" + ANNA, "secret", {"server": self.server.url}, folder + "/anna")

    def stop(self) -> None:
        self.host.stop()
        self.ben.stop()
        self.server.stop()
        check("the program's lines", self.host.problems, [])

    def enter(self, name: str = "tea") -> tuple[str, dict]:
        """A room that ben has made and anna has entered."""
        room = self.ben.make_room(name, [ANNA])
        check("an invitation", bool(self.host.line("invited", room=room)), True)
        check("the answer to join", self.host.request("join", target=room), "")
        check("the room's name", (self.host.line("room", room=room) or {}).get("name"), name)
        return room, {"room": room}


def short(folder: str) -> None:
    it = Matrix(folder)
    host, ben = it.host, it.ben
    with step("log in and enter a room", needed=True):
        host.start()
        room, here = it.enter()
    with step("text both ways"):
        texts(host, ben, room, here)
    it.stop()


def texts(host, ben, room: str, here: dict) -> None:
    host.send(here, "hello *ben* ☕")
    check("at the server", bool(ben.event(body="hello *ben* ☕")), True)
    id = ben.say(room, "hello anna")
    check("at hobnob", host.id("hello anna"), id)


def long(folder: str) -> None:
    it = Matrix(folder)
    host, ben = it.host, it.ben
    with step("log in and enter a room", needed=True):
        host.start()
        room, here = it.enter()
    with step("text both ways"):
        texts(host, ben, room, here)
    with step("edits, reactions, replies, deletions"):
        changes(host, ben, room, here)
    with step("files"):
        files(host, ben, room, here, folder)
    with step("typing and receipts"):
        signals(host, ben, room, here)
    with step("messages while the program is down"):
        away(host, ben, room, here)
    with step("older messages"):
        history(host, ben, room, here, folder)
    with step("a direct chat"):
        direct(host, ben)
    with step("rooms and their people"):
        rooms(host, ben)
    with step("30 kills"):
        kills(host, here, ben.me, lambda text: ben.say(room, text), lambda done: ben.bodies(room, ANNA))
    with step("encrypted rooms"):
        encrypted(it)
    with step("the end of a login"):
        login(it, here)
    it.stop()


def changes(host, ben, room: str, here: dict) -> None:
    host.send(here, "teh tea")
    mine = host.id("teh tea")
    host.change("edit", here, id=mine, text="the tea")
    check("an edit", bool(ben.wait(lambda: any(
        event.source["content"].get("m.new_content", {}).get("body") == "the tea" and
        event.source["content"]["m.relates_to"]["event_id"] == mine for _, event in ben.events))), True)
    theirs = ben.say(room, "coffee")
    ben.edit(room, theirs, "coffee, please")
    check("an edit of ben", host.id("coffee, please"), theirs)
    host.send(here, "why?", reply_to={"id": theirs, "sender": ben.me, "text": "coffee"})
    answer = ben.event(body="why?")
    check("a reply", answer.source["content"]["m.relates_to"]["m.in_reply_to"]["event_id"], theirs)
    reply = ben.say(room, "because", answer.event_id)
    host.id("because")
    check("a reply of ben", host.rows("SELECT reply FROM message WHERE id = ?", reply), [(answer.event_id,)])
    host.change("react", here, id=theirs, author=ben.me, emoji="👍", all=["👍"])
    host.change("react", here, id=theirs, author=ben.me, emoji="🎉", all=["👍", "🎉"])
    host.change("react", here, id=theirs, author=ben.me, emoji="👍", removed=True, all=["🎉"])
    check("entries without an answer", host.wait(lambda: not host.waiting()) and host.waiting(), 0)
    async def reactions():
        path = f"{ben.client.homeserver}/_matrix/client/v1/rooms/{room}/relations/{theirs}/m.annotation"
        answer = await ben.client.client_session.get(
            path, headers={"Authorization": "Bearer " + ben.client.access_token})
        return [each["content"]["m.relates_to"]["key"] for each in (await answer.json())["chunk"]
                if each["content"]]
    check("reactions at the server", ben.run(reactions()), ["🎉"])
    first, second = ben.react(room, mine, "👍"), ben.react(room, mine, "😀")
    check("reactions of ben", host.wait(lambda: host.reactions(mine, ben.me) == ["👍", "😀"]), True)
    ben.redact(room, first)
    check("a reaction taken back", host.wait(lambda: host.reactions(mine, ben.me) == ["😀"]), True)
    ben.redact(room, theirs)
    check("a deletion of ben", bool(host.line("deleted", id=theirs)), True)
    host.send(here, "oops")
    oops = host.id("oops")
    host.change("delete", here, id=oops)
    check("a deletion", ben.wait(lambda: any(
        oops in (event.source.get("redacts"), event.source["content"].get("redacts"))
        for _, event in ben.events)), True)
    host.send(here, "rude")
    rude = host.id("rude")
    ben.redact(room, rude)
    check("a removal", bool(host.line("removed", id=rude)), True)
    host.send(here, "waves", kind="action")
    check("an action", ben.event(body="waves").source["content"]["msgtype"], "m.emote")
    ben.put(room, {"msgtype": "m.text", "body": "anna: the kettle", "m.mentions": {"user_ids": [ANNA]}})
    check("a mention", host.wait(lambda: [each.get("mentions") for each in host.lines if each.get(
        "text") == "anna: the kettle"]), [[{"start": 0, "end": 4, "identity": ANNA}]])


def files(host, ben, room: str, here: dict, folder: str) -> None:
    paths = make_files(folder, {"one.txt": "text/plain", "two.png": "image/png"})
    uid = host.send(here, "two files", files=paths)
    check("sent", host.wait(lambda: host.state(uid) == "sent"), True)
    first, last = ben.event(body="one.txt"), ben.event(body="two files")
    check("files at the server", [ben.file(each.source["content"]["url"]) for each in (first, last)],
          [b"file one.txt", b"file two.png"])
    check("an image", last.source["content"]["msgtype"], "m.image")
    id = ben.send_file(room, "list.txt", b"milk\n" * 1000)
    host.wait(lambda: host.rows("SELECT 1 FROM message WHERE id = ?", id))
    [(name, path)] = json.loads(host.rows("SELECT files FROM message WHERE id = ?", id)[0][0])
    with open(path, "rb") as file:
        check("a file of ben", (name, file.read()), ("list.txt", b"milk\n" * 1000))
    check("files that hobnob has copied", host.wait(
        lambda: not os.listdir(host.folder + "/files")), True)
    host.send(here, "no file", files=[{"path": folder + "/missing", "name": "missing", "bytes": 1}])
    check("a file that is gone", bool(host.line("failed")), True)
    check("files", host.rows("SELECT count(*) FROM message WHERE text IN ('one.txt', 'two files')"), [(1,)])


def signals(host, ben, room: str, here: dict) -> None:
    ben.type(room, True)
    check("ben types", bool(host.line("typing", sender=ben.me, active=True)), True)
    ben.type(room, False)
    check("ben stops", bool(host.line("typing", sender=ben.me, active=False)), True)
    host.tell({"type": "typing", "conversation": here, "active": True})
    check("anna types", ben.wait(lambda: ben.typing.get(room) == [ANNA]), True)
    host.tell({"type": "typing", "conversation": here, "active": False})
    check("anna stops", ben.wait(lambda: ben.typing.get(room) == []), True)
    host.send(here, "seen?")
    mine = host.id("seen?")
    ben.see(room, mine)
    check("ben has seen it", bool(host.line("receipt", sender=ben.me, id=mine, state="seen")), True)
    # Other programs mark the last event, which may be a reaction.
    host.send(here, "seen too?")
    mine = host.id("seen too?")
    ben.see(room, ben.react(room, mine, "👀"))
    check("ben has seen more", bool(host.line("receipt", sender=ben.me, id=mine, state="seen")), True)
    theirs = ben.say(room, "look")
    host.id("look")
    host.tell({"type": "receipt", "conversation": here, "id": theirs, "sender": ben.me, "state": "seen"})
    check("anna has seen it", ben.wait(lambda: (ANNA, theirs) in ben.receipts), True)


def away(host, ben, room: str, here: dict) -> None:
    with program_down(host, here, ben.me, lambda text: ben.say(room, text), 150):
        pass
    check("gaps", [each for each in host.lines if each["type"] == "gap"], [])


def history(host, ben, room: str, here: dict, folder: str) -> None:
    """A new account reads back to the beginning."""
    reader = Host(PROGRAM, "matrix:" + ANNA, "secret", host.settings, folder + "/reader")
    reader.start()
    check("the room", bool(reader.line("room", room=room)), True)
    reader.wait(lambda: reader.rows("SELECT 1 FROM mark"))
    first = reader.texts(here)
    check("first messages are old ones", reader.rows("SELECT count(*) FROM message WHERE past = 0"), [(0,)])
    check("some", len(first) > 0, True)
    until, pages = "", 0
    while True:
        reader.request("history", target=room, text=until, count=50)
        pages += 1
        start, end = reader.rows("SELECT start, until FROM page ORDER BY rowid DESC")[0]
        check("the end of the page", end, until)
        until = start
        if not start:
            break
        check("pages", pages < 20, True)
    theirs = reader.texts(here, ben.me)
    wanted = ["" if text == "list.txt" else text  # which is a file
              for text in ben.bodies(room, ben.me) if not text.startswith("* ")]
    check("older messages", sorted(theirs), sorted(wanted))
    check("pages", pages > 2, True)
    reader.stop()
    check("the reader's lines", reader.problems, [])


def direct(host, ben) -> None:
    room = ben.make_room(None, [ANNA], direct=True)
    ben.say(room, "before you came")
    check("ben asks", bool(host.line("wants_contact", identity=ben.me)), True)
    host.stop()
    host.start()
    check("the answer", host.request("approve", target=ben.me), "")
    here = {"person": ben.me}
    host.send(here, "psst")
    check("psst", bool(ben.event(body="psst")), True)
    check("before", host.wait(lambda: host.texts(here, ben.me)), ["before you came"])
    other = ben.make_room(None, [ANNA], direct=True)
    host.wait(lambda: sum(each["type"] == "wants_contact" for each in host.lines) > 0)
    check("the answer", host.request("join", target=other), "")
    ben.say(other, "in another room")
    check("another room with ben", bool(host.wait(lambda: "in another room" in host.texts({"room": other}))), True)
    ben.say(room, "still here")
    check("the direct chat stays", host.wait(lambda: "still here" in host.texts(here)), True)


def rooms(host, ben) -> None:
    async def make():
        return (await ben.client.room_create(alias="den", name="The den", preset=nio.RoomPreset.public_chat)).room_id
    room = ben.run(make())
    check("join by an alias", host.request("join", target="#den:matrix.localhost"), "")
    line = host.line("room", room=room)
    check("its people", [each["identity"] for each in line["people"]], [ben.me])
    check("its rank", line["people"][0].get("rank"), "admin")
    check("a topic", "" if host.request("topic", target=room, text="x") else "allowed", "")
    ben.run(ben.client.room_put_state(room, "m.room.topic", {"topic": "tea only"}))
    check("the topic", (host.line("topic", room=room) or {}).get("text"), "tea only")
    check("whois", host.request("whois", target=ben.me), f"{ben.me} is called ben.")
    ben.run(ben.client.room_kick(room, ANNA, "too loud"))
    check("removed", (host.line("left", room=room) or {}).get("reason"), "too loud")
    check("a room that is not there", bool(host.request("join", target="#nothing:matrix.localhost")), True)


def encrypted(it) -> None:
    host = it.host
    ben = MatrixPeer(it.server, it.folder + "/ben2", encrypted=True)
    room = ben.make_room("vault", [ANNA], encrypted=True)
    host.line("invited", room=room)
    check("join", host.request("join", target=room), "")
    here = {"room": room}
    host.line("room", room=room)
    host.send(here, "a secret")
    event = ben.event(body="a secret")
    check("a message", event is not None and event.decrypted, True)
    id = ben.say(room, "another secret")
    check("another", host.id("another secret"), id)
    host.kill()
    late = ben.say(room, "a late secret")
    host.start()
    check("after a restart", host.id("a late secret"), late)
    host.send(here, "again")
    check("again", bool(ben.event(body="again")), True)
    with open(it.folder + "/sealed.txt", "w") as file:
        file.write("sealed")
    uid = host.send(here, "", files=[{"path": it.folder + "/sealed.txt", "name": "sealed.txt", "bytes": 6}])
    check("a file", host.wait(lambda: host.state(uid) == "sent"), True)
    content = ben.event(body="sealed.txt").source["content"]
    check("it is encrypted", "file" in content and "url" not in content, True)
    ben.stop()


def login(it, here: dict) -> None:
    """A token that the server has ended; and a password that is wrong."""
    host = it.host
    device = host.rows("SELECT value FROM kept WHERE name = 'device'")
    host.stop()
    host.database.execute("UPDATE kept SET value = 'syt_nothing' WHERE name = 'token'")
    host.launch()
    check("down", bool(host.line("down")), True)
    check("it is forgotten", host.rows("SELECT value FROM kept WHERE name = 'token'"), [])
    host.process.wait(10)
    host.start()
    check("a new login", host.rows("SELECT value FROM kept WHERE name = 'device'") != device, True)
    host.send(here, "new login")
    check("it sends", bool(it.ben.event(body="new login")), True)
    other = Host(PROGRAM, "matrix:" + ANNA, "wrong", host.settings, it.folder + "/wrong")
    other.launch()
    check("a wrong password", (other.line("down") or {}).get("secret"), True)
    other.process.wait(10)
