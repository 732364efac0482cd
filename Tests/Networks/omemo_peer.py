# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody who encrypts with slixmpp-omemo, and may be killed or cut off at any moment.

usage: omemo_peer.py JID PASSWORD HOST PORT CA STATE VERSIONS PARTNER

It reads messages from the archive of its account only, in order. What a message changes is written to
STATE in one step: its text, its place in the archive, and the keys. What it writes is in STATE, too,
until the archive has it. Each line of input is a number: it writes texts until there are so many,
"t0", "t1" and so on. STATE["peer"] has "texts" and "unreadable", what PARTNER wrote, and how often it
"starts" to read.
"""
import asyncio
import json
import os
import ssl
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "EndToEndTests"))
import encrypting
import slixmpp


class State(encrypting.State):
    """Nothing is in the file before all of a step is."""

    def __init__(self, path):
        super().__init__(path)
        self.peer = self.values.setdefault(
            "peer", {
                "starts": 0, "texts": [], "unreadable": [], "last": None, "count": 0, "outbox": {}})

    def write(self):
        pass

    def keep(self):
        super().write()

    def go_back(self):
        """Forgets what is not in the file."""
        with open(self.path) as file:
            self.values = json.load(file)
        self.peer = self.values["peer"]


encrypting.State = State


class Peer(encrypting.Encrypting):
    def __init__(self, jid, password, path, versions, partner):
        super().__init__(jid, password, path, versions)
        # The archive says what has arrived.
        self.plugin.disable("xep_0198")
        self.register_plugin("xep_0313")
        self.plugin["xep_0184"].auto_ack = False
        self.partner, self.versions, self.wanted = partner, versions, 0
        self.state = self.encryption.state
        self.is_up, self.news, self.step = False, asyncio.Event(), None
        # What the library sends by itself while a message is read.
        self.held = None
        self.add_filter("out", self.hold)
        self.add_event_handler("disconnected", self.lost)

    @property
    def peer(self):
        return self.state.peer

    def hold(self, stanza):
        if self.held is None or not isinstance(stanza, slixmpp.Message):
            return stanza
        self.held.append(str(stanza))

    async def start(self, event):
        await super().start(event)
        self.peer["starts"] += 1
        self.state.keep()
        self.is_up = self.resends = True
        self.news.set()

    async def lost(self, event):
        self.is_up = False
        if self.step:
            self.step.cancel()
        await asyncio.sleep(0.05)
        self.connect(self.host, self.port)

    async def hear(self, stanza):
        if stanza.xml.find("{urn:xmpp:sid:0}stanza-id") is not None:
            self.news.set()

    async def work(self):
        while True:
            await self.news.wait()
            self.news.clear()
            if not self.is_up:
                continue
            self.step = asyncio.ensure_future(self.advance())
            try:
                await self.step
            except (Exception, asyncio.CancelledError) as problem:
                encrypting.tell("failed", repr(problem))
                self.state.go_back()
                self.held = None
                self.news.set()
                await asyncio.sleep(0.05)

    async def advance(self):
        """Reads what is new, then writes what is wanted."""
        async with self.turn:
            await self.catch_up()
            if self.resends:
                # The archive does not have it, so it is lost.
                for stanza in self.peer["outbox"].values():
                    self.send_raw(stanza)
                self.resends = False
            while self.peer["count"] < self.wanted:
                await self.write()
        if self.peer["outbox"]:
            # Nobody tells when the archive has it.
            self.loop.call_later(0.5, self.news.set)

    async def catch_up(self):
        while True:
            page = {"max": 100} | ({"after": self.peer["last"]} if self.peer["last"] else {})
            answer = await self.plugin["xep_0313"].retrieve(rsm=page, timeout=10)
            for result in answer["mam"]["results"]:
                message = result.xml.find(
                    "{urn:xmpp:mam:2}result/{urn:xmpp:forward:0}forwarded/{jabber:client}message")
                self.peer["last"] = result["mam_result"]["id"]
                await self.take(message)
            self.state.keep()
            if answer.xml.find("{urn:xmpp:mam:2}fin").get("complete") == "true":
                return

    async def take(self, message):
        sender = slixmpp.JID(message.get("from")).bare
        if sender == self.boundjid.bare:
            self.peer["outbox"].pop(message.get("id"), None)
        if sender != self.partner:
            return
        text = message.findtext("{jabber:client}body")
        if message.find(".//{*}encrypted") is None:
            if text is not None:
                self.peer["texts"].append(text + " (plain)")
            return
        members, self.held = {}, []
        try:
            await self.open(message, members)
        except Exception as problem:
            if message.find(".//{*}payload") is not None:
                self.peer["unreadable"].append([message.get("id"), repr(problem)])
        if members.get("text") is not None:
            self.peer["texts"].append(members["text"])
        self.state.keep()
        held, self.held = self.held, None
        for stanza in held:
            self.send_raw(stanza)

    async def write(self):
        count = self.peer["count"]
        text, version = "t%d" % count, self.versions[count % len(self.versions)]
        self.peer["outbox"][text] = str(await self.sealed(self.partner, version, text, text))
        self.peer["count"] += 1
        self.state.keep()
        self.send_raw(self.peer["outbox"][text])


async def numbers(peer):
    reader = asyncio.StreamReader()
    await asyncio.get_event_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    asyncio.ensure_future(peer.work())
    while line := await reader.readline():
        peer.wanted = int(line)
        peer.news.set()


def main():
    jid, password, host, port, ca, path, versions, partner = sys.argv[1:9]
    peer = Peer(jid, password, path, versions.split(","), partner)
    peer.host, peer.port = host, int(port)
    peer.ssl_context = ssl.create_default_context(cafile=ca)
    peer.enable_direct_tls = False
    peer.connect(peer.host, peer.port)
    peer.loop.run_until_complete(numbers(peer))


if __name__ == "__main__":
    main()
