# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody else's client (slixmpp), for tests: what it is told to do comes in, what it sees goes out.

usage: foreign.py JID PASSWORD HOST PORT CA

Each line of input is a command, its words in JSON: ["say", to, kind, text], ["correct", to, kind,
id, text], ["retract", to, kind, id], ["react", to, kind, id, emoji], ["reply", to, kind, id, of,
text], ["typing", to, kind, state], ["marker", to, kind, id], ["join", room, nick], ["raw", xml],
["quit"]. Each line of output is what happened, in JSON: ["up"], ["said", from, kind, id, body],
["xml", stanza], ["failed", why].
"""
import asyncio
import json
import ssl
import sys

import slixmpp


def tell(*words):
    print(json.dumps(words), flush=True)


class Speaker:
    """What a client and a gateway share: it says what it is told to, and tells what it sees."""
    speaker = None

    def learn(self):
        for plugin in ("0004", "0030", "0045", "0085", "0184", "0198", "0199", "0280", "0308",
                       "0333", "0359", "0444"):
            self.register_plugin("xep_" + plugin)
        self["xep_0184"].auto_ack = True
        self.add_event_handler("connection_failed", lambda event: tell("failed", str(event)))
        self.add_event_handler("message", self.message)
        self.add_event_handler("groupchat_message", self.message)
        self.add_filter("in", self.seen)

    def seen(self, stanza):
        if isinstance(stanza, (slixmpp.Message, slixmpp.Presence)):
            tell("xml", str(stanza))
        return stanza

    def message(self, message):
        if message["body"]:
            tell("said", str(message["from"]), message["type"], message["id"], message["body"])

    def do(self, words):
        command, rest = words[0], words[1:]
        if command == "join":
            self["xep_0045"].join_muc(rest[0], rest[1])
            return
        if command == "raw":
            self.send_raw(rest[0])
            return
        to, kind = rest[0], rest[1]
        message = self.make_message(mto=to, mtype=kind, mfrom=self.speaker)
        message["id"] = message["origin_id"]["id"] = self.new_id()
        if command == "say":
            message["body"] = rest[2]
            if kind == "chat":
                message["request_receipt"] = True
                message.enable("markable")
        elif command == "correct":
            message["body"] = rest[3]
            message["replace"]["id"] = rest[2]
        elif command == "react":
            self["xep_0444"].set_reactions(message, rest[2], rest[3:])
            message.append(self.hint())
        elif command == "typing":
            message["chat_state"] = rest[2]
        elif command == "marker":
            message["displayed"]["id"] = rest[2]
        elif command == "retract":
            message.append(slixmpp.ET.fromstring(
                "<retract xmlns='urn:xmpp:message-retract:1' id='%s'/>" % rest[2]))
            message.append(self.hint())
        elif command == "reply":
            message["body"] = rest[4]
            message.append(slixmpp.ET.fromstring(
                "<reply xmlns='urn:xmpp:reply:0' id='%s' to='%s'/>" % (rest[2], rest[3])))
        message.send()

    def hint(self):
        return slixmpp.ET.fromstring("<store xmlns='urn:xmpp:hints'/>")


class Foreign(Speaker, slixmpp.ClientXMPP):
    def __init__(self, jid, password):
        super().__init__(jid, password)
        self.learn()
        self.auto_subscribe = self.auto_authorize = True
        self.add_event_handler("session_start", self.start)
        self.add_event_handler("failed_auth", lambda event: tell("failed", "auth"))

    async def start(self, event):
        self.send_presence()
        await self.get_roster()
        await self["xep_0280"].enable()
        tell("up")


async def commands(client):
    reader = asyncio.StreamReader()
    await asyncio.get_event_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while True:
        line = await reader.readline()
        if not line or json.loads(line) == ["quit"]:
            await client.disconnect()
            return
        try:
            result = client.do(json.loads(line))
            if asyncio.iscoroutine(result):
                await result
        except Exception as problem:
            tell("failed", repr(problem))


def main():
    jid, password, host, port, ca = sys.argv[1:6]
    client = Foreign(jid, password)
    client.ca_certs = ca
    client.ssl_context = ssl.create_default_context(cafile=ca)
    client.connect((host, int(port)))
    client.loop.run_until_complete(commands(client))


if __name__ == "__main__":
    main()
