# SPDX-License-Identifier: GPL-3.0-or-later
"""What hobnob-net-deltachat does with Dovecot and an SMTP server, between the stand-in for hobnob
and deltachat-rpc-client."""
import json
import os
import sys

from deltachat_peer import DeltaChatPeer
from host import Host
from scenes import kills, make_files, program_down
from servers import ROOT, Mail
from steps import check, step

PROGRAM = [sys.executable, os.path.join(ROOT, "share/networks/hobnob-net-deltachat")]
ANNA, BEN = "anna@example.test", "ben@example.test"
HERE = {"person": BEN}


class Mails:
    def __init__(self, folder: str):
        self.folder = folder
        self.server = Mail(folder + "/mail")
        self.settings = {"imap": f"127.0.0.1:{self.server.imap}", "name": "Anna", "security": "plain",
                         "smtp": f"127.0.0.1:{self.server.smtp}"}
        self.ben = DeltaChatPeer(self.server, folder + "/ben/core")
        self.host = Host(PROGRAM, "deltachat:" + ANNA, "secret", self.settings, folder + "/anna")

    def meet(self):
        """Ben follows anna's invitation."""
        link = self.host.request("whois", target=ANNA).partition(": ")[2]
        chat = self.ben.account.secure_join(link)
        check("ben has anna's key", self.ben.wait(chat.can_send), True)
        return chat

    def stop(self) -> None:
        self.host.stop()
        self.server.stop()
        check("the program's lines", self.host.problems, [])


def short(folder: str) -> None:
    it = Mails(folder)
    with step("log in and meet", needed=True):
        it.host.start()
        chat = it.meet()
    with step("text both ways"):
        texts(it.host, it.ben, chat)
    it.stop()


def long(folder: str) -> None:
    it = Mails(folder)
    host, ben = it.host, it.ben
    with step("log in and meet", needed=True):
        host.start()
        chat = it.meet()
    with step("text both ways", needed=True):
        texts(host, ben, chat)
    with step("edits, reactions, replies, deletions"):
        changes(host, ben, chat)
    with step("files"):
        files(host, ben, chat, folder)
    with step("receipts"):
        receipts(host, ben, chat)
    with step("messages and changes while the program is down"):
        away(host, ben, chat)
    with step("groups"):
        groups(host, ben)
    with step("30 kills"):
        kills(host, HERE, BEN, chat.send_text, lambda done: texts_at(ben, chat, done), sorted,
              is_down_written=False)
    with step("people without a key, and strangers"):
        strangers(it)
    with step("a wrong password, and no server"):
        failures(it)
    it.stop()


def texts(host, ben, chat) -> None:
    chat.send_text("hello anna ☕")
    check("at hobnob", bool(host.id("hello anna ☕")), True)
    uid = host.send(HERE, "hello *ben* ☕")
    message = ben.message("hello *ben* ☕")
    check("it is encrypted", message and message["showPadlock"], True)
    check("sent", host.wait(lambda: host.state(uid) == "sent"), True)


def changes(host, ben, chat) -> None:
    host.send(HERE, "teh tea")
    mine = host.id("teh tea")
    at_ben = ben.message("teh tea")
    host.change("edit", HERE, id=mine, text="the tea")
    check("an edit", ben.message("the tea")["id"], at_ben["id"])
    theirs = chat.send_text("coffee")
    id = host.id("coffee")
    ben.rpc.send_edit_request(ben.account.id, theirs.id, "coffee, please")
    check("an edit of ben", host.id("coffee, please"), id)
    host.send(HERE, "why?", reply_to={"id": id, "sender": BEN, "text": "coffee"})
    check("a reply", ben.message("why?")["quote"]["messageId"], theirs.id)
    chat.send_message(text="because", quoted_msg=ben.message("why?")["id"])
    check("a reply of ben", host.id("because") and host.rows(
        "SELECT reply FROM message WHERE text = 'because'"), [(host.id("why?"),)])
    def given(message): return ((message["reactions"] or {}).get("reactionsByContact", {}))
    for emoji in ("👍", "🎉", None):
        host.change("react", HERE, id=id, author=BEN, emoji=emoji or "🎉", all=[emoji] if emoji else [],
                    **({} if emoji else {"removed": True}))
        check(f"the reaction {emoji}", ben.wait(lambda: [
            each for who, each in given(ben.rpc.get_message(ben.account.id, theirs.id)).items() if int(who) > 9] == (
                [[emoji]] if emoji else [])), True)
    at = ben.account.get_message_by_id(at_ben["id"])
    at.send_reaction("👍")
    check("a reaction of ben", host.wait(lambda: host.reactions(mine, BEN) == ["👍"]), True)
    at.send_reaction("😀")
    check("another one", host.wait(lambda: host.reactions(mine, BEN) == ["😀"]), True)
    at.send_reaction()
    check("none", host.wait(lambda: host.reactions(mine, BEN) == []), True)
    ben.rpc.delete_messages_for_all(ben.account.id, [theirs.id])
    check("a deletion of ben", bool(host.line("deleted", id=id)), True)
    host.send(HERE, "oops")
    check("oops", bool(ben.message("oops")), True)
    host.change("delete", HERE, id=host.id("oops"))
    check("a deletion", ben.wait(lambda: not any(each["text"] == "oops" for each in ben.all())), True)


def files(host, ben, chat, folder: str) -> None:
    paths = make_files(folder, {"one.txt": "text/plain", "two.bin": "application/octet-stream"})
    uid = host.send(HERE, "two files", files=paths)
    check("sent", host.wait(lambda: host.state(uid) == "sent"), True)
    def got():
        found = [each for each in ben.all() if each["fileName"] and each["fromId"] > 9]
        return [(each["fileName"], open(each["file"]).read(), each["text"]) for each in found]
    wanted = [("one.txt", "file one.txt", ""), ("two.bin", "file two.bin", "two files")]
    check("files at ben", ben.wait(lambda: len(got()) == 2) and got(), wanted)
    for size in (5_000, 3_000_000):
        name = f"list{size}.bin"
        data = os.urandom(size)
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)
        chat.send_message(text=name, file=f"{folder}/{name}")
        check(f"a file of {size} bytes", bool(host.id(name, 60)), True)
        [(stored, path)] = json.loads(host.rows("SELECT files FROM message WHERE text = ?", name)[0][0])
        with open(path, "rb") as file:
            check("its content", (stored, file.read() == data), (name, True))
    host.send(HERE, "no file", files=[{"path": folder + "/missing", "name": "missing", "bytes": 1}])
    check("a file that is gone", bool(host.line("failed")), True)
    long = "<b>long</b> & https://example.test/\n\n" + "word " * 8_000 + "\nend"
    chat.send_text(long)
    check("a long message", host.wait(lambda: long in host.texts(HERE, BEN)), True)


def receipts(host, ben, chat) -> None:
    uid = host.send(HERE, "seen?")
    message = ben.message("seen?")
    ben.about(message).mark_seen()
    check("ben has seen it", bool(host.line("receipt", sender=BEN, ids=[host.id("seen?")], state="seen")), True)
    theirs = chat.send_text("look")
    id = host.id("look")
    host.tell({"type": "receipt", "conversation": HERE, "id": id, "sender": BEN, "state": "seen"})
    check("anna has seen it", ben.wait(lambda: theirs.get_snapshot()["state"] == 28), True)


def away(host, ben, chat) -> None:
    host.send(HERE, "before")
    before = host.id("before")
    at_ben = ben.message("before")
    theirs = chat.send_text("theirs")
    id = host.id("theirs")
    with program_down(host, HERE, BEN, chat.send_text, 30):
        ben.account.get_message_by_id(at_ben["id"]).send_reaction("👋")
        ben.account.get_message_by_id(at_ben["id"]).mark_seen()
        ben.rpc.send_edit_request(ben.account.id, theirs.id, "theirs, edited")
    check("a reaction", host.wait(lambda: host.reactions(before, BEN) == ["👋"]), True)
    check("a receipt", bool(host.line("receipt", ids=[before])), True)
    check("an edit", host.id("theirs, edited"), id)


def groups(host, ben) -> None:
    check("the answer", host.request("join", target="Tea"), "")
    room = host.line("room", name="Tea")["room"]
    check("its address", room, "Tea")
    check("once more", (host.request("join", target="Tea"), host.rows("SELECT count(*) FROM room")), ("", [(1,)]))
    check("invite", host.request("invite", target=room, person=BEN), "")
    here = {"room": room}
    host.send(here, "in the group")
    message = ben.message("in the group")
    group = ben.account.get_chat_by_id(message["chatId"])
    check("its name", group.get_basic_snapshot()["name"], "Tea")
    group.accept()
    group.send_text("hello group")
    check("at hobnob", bool(host.wait(lambda: "hello group" in host.texts(here, BEN))), True)
    check("its people", host.wait(lambda: [
        [who["identity"] for who in each["people"]] for each in host.lines
        if each["type"] == "room" and each["room"] == room][-1]), [BEN])
    ben.about(message).mark_seen()
    check("seen", bool(host.line("receipt", conversation=here, sender=BEN)), True)
    own = ben.account.create_group("Den")
    own.add_contact(ben.account.get_contact_by_id(
        [each for each in ben.rpc.get_contacts(ben.account.id, 0, None)][0]["id"]))
    own.send_text("my den")
    line = host.line("message", text="my den", seconds=60)
    check("ben's group", line and "room" in line["conversation"], True)
    check("leave", host.request("leave", target=line["conversation"]["room"]), "")
    check("left", bool(host.line("left", room=line["conversation"]["room"])), True)


def texts_at(ben, chat, done) -> list[str]:
    """The texts that ben has, once they are as they should be."""
    def texts(): return [each["text"] for each in ben.all(chat)]
    ben.wait(lambda: done(texts()))
    return texts()


def strangers(it) -> None:
    host = it.host
    carl = {"person": "carl@example.test"}
    host.send(carl, "without a key")
    check("no key", "no key" in (host.line("failed") or {}).get("reason", ""), True)
    check("whois", "example.test" in host.request("whois", target=BEN), True)
    dora = DeltaChatPeer(it.server, it.folder + "/dora/core", "dora")
    link = dora.account.get_qr_code()
    check("an invitation", host.request("subscribe", target=link), "")
    place = {"person": "dora@example.test"}
    check("dora", bool(host.line("person", identity="dora@example.test")), True)
    check("her key", bool(host.line("notice", sender="dora@example.test")), True)
    host.send(place, "hello dora")
    check("a message", bool(dora.message("hello dora")), True)


def failures(it) -> None:
    other = Host(PROGRAM, "deltachat:eve@example.test", "wrong", it.settings, it.folder + "/wrong")
    other.launch()
    check("a wrong password", (other.line("down") or {}).get("secret"), True)
    other.process.wait(10)
    other = Host(PROGRAM, "deltachat:eve@example.test", "secret", {
        **it.settings, "imap": "127.0.0.1:1"}, it.folder + "/nowhere")
    other.launch()
    down = other.line("down", 60) or {}
    check("no server", (bool(down.get("reason")), down.get("secret")), (True, None))
    other.process.wait(10)
