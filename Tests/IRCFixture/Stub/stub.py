# SPDX-License-Identifier: GPL-3.0-or-later
"""A strict server of IRC, for tests: what no packaged server has, as ircv3.net and soju specify it.

usage: stub.py OPTIONS    (a JSON object; DEFAULTS in world.py has the keys)

A client that breaks the protocol gets the answer that the specifications give, and the violation is
recorded. On the control port each line is a JSON object {"do": COMMAND, ...}, answered by one line;
the functions of Control are the commands. IRCStub.swift wraps them.

Whoever's real name is PEER belongs to the tests: their mistakes do not count.
"""
import asyncio
import base64
import json
import re
import ssl
import sys

from login import Login
from messages import Messages, attributes_text
from rooms import Rooms
from world import PEER, Channel, User, now, stub


class Connection(Messages, Rooms, Login):
    """A client."""


class Control(asyncio.Protocol):
    """The commands of the tests."""

    def connection_made(self, transport):
        self.transport, self.data = transport, b""

    def data_received(self, data):
        self.data += data
        *lines, self.data = self.data.split(b"\n")
        for line in lines:
            words = json.loads(line)
            result = getattr(self, words.pop("do"))(**words)
            self.transport.write(json.dumps(result).encode() + b"\n")

    def clients(self, nick):
        """The connections of a nick, newest last; all that are not the tests' own for "*"."""
        return [c for c in stub.connections
                if c.nick == nick or nick == "*" and c.realname != PEER]

    def tell(self, what):
        return getattr(stub, what)

    def set(self, options):
        stub.__dict__.update(options)

    def inject(self, nick, line):
        for client in self.clients(nick):
            client.write(line)

    def drop(self, nick):
        for client in self.clients(nick):
            client.transport.abort()

    def dropAt(self, **drop):
        stub.dropping = drop

    def read(self, nick, isReading):
        for client in self.clients(nick):
            (client.transport.resume_reading if isReading else client.transport.pause_reading)()

    def hold(self, isHolding):
        """Keeps what would be sent to the clients, until it is told to send it."""
        stub.isHolding = isHolding
        for client in [] if isHolding else stub.connections:
            lines, client.held = client.held, []
            for line in lines:
                client.write(line)

    def offer(self, add=None, remove=None):
        """Adds or removes a capability."""
        if add:
            name, _, value = add.partition("=")
            stub.capabilities = stub.capabilities + [name]
            stub.values[name] = value or stub.values.get(name, "")
        else:
            stub.capabilities = [c for c in stub.capabilities if c != remove]
        for client in stub.connections:
            if "cap-notify" in client.enabled:
                value = client.offered().get(add.partition("=")[0]) if add else None
                word = add.partition("=")[0] + ("=" + value if value else "") if add else remove
                client.send("CAP", client.nick, "NEW" if add else "DEL", word)
            client.enabled.discard(remove)
            if remove == "sasl" and client.account:
                # The services that knew the accounts are gone.
                client.account = client.user.account = None
                client.send("901", client.user.mask, "You are now logged out")

    def world(self, network):
        return stub.worlds[network]

    def person(self, nick, network="", account=None):
        """Somebody without a connection."""
        world = self.world(network)
        if not world.user(nick):
            world.users[world.fold(nick)] = User(world, nick, "~" + nick, nick, account)
        return world.user(nick)

    def members(self, room, count=0, nicks=(), network=""):
        """Puts people without a connection into a room."""
        world = self.world(network)
        channel = world.channels.setdefault(world.fold(room), Channel(room))
        for nick in list(nicks) + ["%s%d" % (room[1:], n) for n in range(count)]:
            channel.members[self.person(nick, network)] = ""

    def past(self, target, nick, texts, start=None, step=1.0, network=""):
        """Puts messages into a history, and tells their ids."""
        world, user = self.world(network), self.person(nick, network)
        if target[0] == "#":
            world.channels.setdefault(world.fold(target), Channel(target))
        time = start if start is not None else now() - step * len(texts)
        return [world.add(world.place(target, nick), user.mask, user.account, "PRIVMSG",
                          (target, text), time=time + step * n).msgid
                for n, text in enumerate(texts)]

    def say(self, target, nick, texts, command="PRIVMSG", network="", tags=None):
        """Somebody without a connection speaks; tells the ids."""
        world, user, found = self.world(network), self.person(nick, network), []
        for text in texts:
            words = (target,) if command == "TAGMSG" else (target, text)
            entry = world.add(world.place(target, nick), user.mask, user.account, command, words,
                              tags)
            found.append(entry.msgid)
            channel = world.channel(target)
            for member in channel.members if channel else [world.user(target)]:
                for connection in member.connections:
                    entry.deliver(connection)
        return found

    def network(self, name, attributes):
        """Changes a network of the bouncer; without attributes it is gone."""
        if attributes is None:
            stub.networks.pop(name)
        else:
            stub.networks.setdefault(name, {}).update(attributes)
            stub.worlds.setdefault(name, type(stub.worlds[""])(name))
        for client in stub.connections:
            if "soju.im/bouncer-networks-notify" in client.enabled:
                text = "*" if attributes is None else attributes_text(attributes)
                client.send("BOUNCER", "NETWORK", name, text)


async def files(reader, writer):
    """One request of HTTP, for soju.im/FILEHOST."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:-2])}
    status, answer, body = "404 Not Found", {}, b""
    if method == "OPTIONS":
        status, answer = "204 No Content", {"Accept-Post": "*/*", "Allow": "OPTIONS, POST"}
    elif method == "POST" and path == "/upload":
        name, _, password = base64.b64decode(
            fields.get("authorization", "").partition(" ")[2]).decode().partition(":")
        if "100-continue" in fields.get("expect", "").lower():
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        data = await reader.readexactly(int(fields["content-length"]))
        if stub.people.get(name) != password:
            status = "401 Unauthorized"
        else:
            stub.uploads.append({
                "account": name, "type": fields.get("content-type"), "size": len(data),
                "disposition": fields.get("content-disposition"), "data": data.decode("latin-1")})
            place = "/files/%d" % len(stub.uploads)
            base = "" if stub.filesAreRelative else "https://localhost:%d" % stub.ports[3]
            status, answer = "201 Created", {"Location": base + place}
    elif method in ("GET", "HEAD") and re.match(r"/files/\d+\Z", path):
        body = stub.uploads[int(path[7:]) - 1]["data"].encode("latin-1")
        status = "200 OK"
    answer.update({"Content-Length": str(len(body)), "Connection": "close"})
    writer.write(("HTTP/1.1 " + "\r\n".join([status] + ["%s: %s" % i for i in answer.items()])
                  + "\r\n\r\n").encode() + (body if method != "HEAD" else b""))
    await writer.drain()
    writer.close()


async def main():
    stub.configure(json.loads(sys.argv[1]))
    loop = asyncio.get_running_loop()
    tls = None
    if stub.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(stub.certificate, stub.key)
        web = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        web.load_cert_chain(stub.certificate, stub.key)
        tls.load_verify_locations(stub.authority)
        tls.verify_mode = ssl.CERT_OPTIONAL
    plain, secure, control, web_port = stub.ports
    await loop.create_server(lambda: Connection(False), "127.0.0.1", plain)
    await loop.create_server(Control, "127.0.0.1", control)
    if tls:
        await loop.create_server(lambda: Connection(True), "127.0.0.1", secure, ssl=tls)
        await asyncio.start_server(files, "127.0.0.1", web_port, ssl=web)
    await asyncio.Event().wait()


asyncio.run(main())
