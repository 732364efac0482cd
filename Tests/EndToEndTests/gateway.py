# SPDX-License-Identifier: GPL-3.0-or-later
"""A gateway to an invented network (slixmpp): a component of a server (XEP-0114), for tests.

usage: gateway.py ADDRESS SECRET HOST PORT

Input and output are those of foreign.py, but each command begins with the address that says it, as
in ["+49151@gate.example", "say", to, "chat", text]. The gateway answers "help", acknowledges what
its people receive, accepts everyone as a contact, and lets everyone into the rooms that ["room",
address, name] makes: there each person hears themselves and one other, "Zoë 🐘".
"""
import asyncio
import sys

import slixmpp
from slixmpp.componentxmpp import ComponentXMPP

import foreign

OTHER = "Zoë 🐘"
ROOMS = "http://jabber.org/protocol/muc"


class Gateway(foreign.Speaker, ComponentXMPP):
    def __init__(self, address, secret, host, port):
        super().__init__(address, secret, host, port)
        self.rooms, self.nicks = {}, {}
        # Answers for all its people, not only for those whom it knows.
        self.auto_authorize = self.auto_subscribe = None
        self.learn()
        # The library's own receipts do not say whose they are.
        self["xep_0184"].auto_ack = False
        self["xep_0030"].add_identity("gateway", "signal", "A gateway")
        self.add_event_handler("session_start", lambda event: foreign.tell("up"))
        self.add_event_handler("presence_subscribe", self.befriend)
        self.add_event_handler("message", self.answer)
        self.add_event_handler("groupchat_message", self.reflect)
        self.add_event_handler("presence", self.enter)

    def do(self, words):
        if words[0] == "room":
            return self.open(slixmpp.JID(words[1]), words[2])
        self.speaker = words[0]
        super().do(words[1:])

    def befriend(self, presence):
        for kind in ("subscribed", "available"):
            self.send_presence(pto=presence["from"].bare, pfrom=presence["to"].bare, ptype=kind)

    def _handle_probe(self, presence):
        self.send_presence(pto=presence["from"], pfrom=presence["to"].bare)

    def answer(self, message):
        if message["request_receipt"] and message["body"]:
            receipt = self.make_message(mto=message["from"], mfrom=message["to"].bare)
            receipt["receipt"] = message["id"]
            receipt.send()
        if message["type"] == "chat" and message["to"].bare == self.boundjid.bare:
            known = message["body"] == "help"
            message.reply("register, find, help" if known else "What? Send: help").send()

    def open(self, room, name):
        self.rooms[room.bare] = name
        info = self["xep_0030"]
        info.add_identity("conference", "text", name, jid=room, node="")
        info.add_feature(ROOMS, jid=room, node="")

    def enter(self, presence):
        room = presence["to"]
        if room.bare not in self.rooms or not room.resource:
            return
        kind = "unavailable" if presence["type"] == "unavailable" else "available"
        for nick in (OTHER, room.resource):
            reply = self.make_presence(
                pto=presence["from"], pfrom=room.bare + "/" + nick, ptype=kind)
            own = "<status code='110'/>" if nick == room.resource else ""
            reply.append(slixmpp.ET.fromstring(
                "<x xmlns='%s#user'><item affiliation='member' role='participant'/>%s</x>"
                % (ROOMS, own)))
            reply.send()
        self.nicks[room.bare] = room.resource
        if kind == "available":
            self.make_message(
                mto=presence["from"], mfrom=room.bare, mtype="groupchat", msubject="Welcome").send()

    def reflect(self, message):
        room = message["to"].bare
        message["to"], message["from"] = message["from"], room + "/" + self.nicks[room]
        message.send()


if __name__ == "__main__":
    address, secret, host, port = sys.argv[1:5]
    gateway = Gateway(address, secret, host, int(port))
    gateway.connect()
    gateway.loop.run_until_complete(foreign.commands(gateway))
