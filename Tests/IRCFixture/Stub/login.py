# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection: its lines, capabilities and login."""
import asyncio
import re
import traceback

from sasl import SASL
from world import HOST, PEER, User, now, stamp, stub, written

TAG = re.compile(r"\+?(?:[A-Za-z0-9.-]+/)?[A-Za-z0-9-]+\Z")
NICK = re.compile(r"[A-Za-z\[\]\\`_^{|}][A-Za-z0-9\[\]\\`_^{|}-]{0,29}\Z")
ESCAPES = {":": ";", "s": " ", "\\": "\\", "r": "\r", "n": "\n"}
# How many parameters a command needs, and the capability without which nobody may send it.
COMMANDS = {
    "AUTHENTICATE": (1, "sasl"), "AWAY": (0, None), "BATCH": (1, "draft/multiline"),
    "BOUNCER": (1, "soju.im/bouncer-networks"), "CAP": (1, None),
    "CHATHISTORY": (1, "draft/chathistory"), "INVITE": (2, None), "JOIN": (1, None),
    "KICK": (2, None), "MARKREAD": (1, "draft/read-marker"), "MODE": (1, None),
    "MONITOR": (1, None), "NAMES": (1, None), "NICK": (1, None), "NOTICE": (2, None),
    "PART": (1, None), "PASS": (1, None), "PING": (1, None), "PONG": (1, None),
    "PRIVMSG": (2, None), "QUIT": (0, None), "REDACT": (2, "draft/message-redaction"),
    "SETNAME": (1, "setname"), "TAGMSG": (1, "message-tags"), "TOPIC": (1, None),
    "USER": (4, None), "WHO": (1, None), "WHOIS": (1, None),
}
EARLY = {"AUTHENTICATE", "BOUNCER", "CAP", "NICK", "PASS", "PING", "PONG", "QUIT", "USER"}


def unescaped(value):
    return re.sub(r"\\(.?)", lambda m: ESCAPES.get(m.group(1), m.group(1)), value)
class Login(SASL, asyncio.Protocol):
    """A client: its lines in and out, and what it says first."""

    def __init__(self, is_secure):
        self.is_secure, self.data, self.enabled, self.version = is_secure, b"", set(), 301
        self.nick = self.name = self.realname = self.user = self.account = None
        self.world, self.password = stub.worlds[""], None
        self.is_waiting = self.is_mute = False
        self.sasl, self.label, self.replies, self.labels = None, None, None, set()
        self.batch, self.monitored, self.held, self.tokens_left = None, {}, [], None
    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=1 << 30)
        stub.connections.append(self)

    def connection_lost(self, error):
        self.leave("Connection closed")

    # Lines in

    def data_received(self, data):
        self.data += data
        *lines, self.data = self.data.split(b"\n")
        if len(self.data) > 9000:
            self.wrong("a line without an end")
            self.data = b""
        for line in lines:
            if self.transport.is_closing():
                return
            if not line.endswith(b"\r"):
                self.wrong("a line that does not end in CR LF")
            try:
                self.line(line.rstrip(b"\r"))
            except Exception:
                stub.violations.append("the stub itself failed: " + traceback.format_exc())
                raise

    def wrong(self, why, line=""):
        if self.realname != PEER:
            stub.violations.append("%s: %s%s" % (self.nick or "*", why, line and ": " + line))

    def line(self, data):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            self.wrong("not UTF-8", repr(data))
            return self.send("FAIL", data.split(b" ")[0].decode("ascii", "replace"),
                             "INVALID_UTF8", "Message rejected")
        if self.realname != PEER:
            stub.lines.append({"nick": self.nick, "line": text, "time": now()})
        if "\0" in text or "\r" in text:
            self.wrong("NUL or CR in a line", repr(text))
        rest, tags, seen = text, {}, []
        if text.startswith("@"):
            head, _, rest = text[1:].partition(" ")
            if len(head.encode()) > 4094:
                self.wrong("too many bytes of tags")
                return self.send("417", "Input line was too long")
            for item in head.split(";"):
                key, _, value = item.partition("=")
                if not TAG.match(key) or re.search(r"(?<!\\)(?:\\\\)*\\\Z", value):
                    self.wrong("a tag that is none", text)
                seen.append(key)
                tags[key] = unescaped(value)
            if len(seen) != len(tags):
                self.wrong("a tag twice", text)
        if len(rest.encode()) > 510:
            self.wrong("a line of more than 512 bytes", text)
            return self.send("417", "Input line was too long")
        if not rest or "" in rest.partition(" :")[0].split(" "):
            self.wrong("an empty word or line", text)
        head, colon, last = rest.partition(" :")
        words = head.split() + ([last] if colon else [])
        if words and words[0].startswith(":"):
            self.wrong("a source from a client", text)
            words.pop(0)
        if words:
            self.counted(words[0].upper())
            self.command(words[0].upper(), words[1:], tags, text)

    def counted(self, command):
        """Whether the client keeps to the limit that it is told."""
        if not stub.floodLines or not self.user or command == "PONG":
            return
        left, time = self.tokens_left or (stub.floodLines, now())
        left = min(stub.floodLines, left + (now() - time) / stub.floodSeconds)
        # A busy machine may read one line late, and the next one in time.
        if left < 0:
            self.wrong("too many lines at once")
        self.tokens_left = (left - 1, now())

    def command(self, command, params, tags, text):
        for key in tags:
            needed = {"label": "labeled-response", "batch": "draft/multiline",
                      "draft/multiline-concat": "draft/multiline"}.get(key, "message-tags")
            if needed not in self.enabled or needed == "message-tags" and key[0] != "+":
                self.wrong("a tag that the server does not take", text)
        denied = stub.tokens(self.world).get("CLIENTTAGDENY", "").split(",")
        client = {k: v for k, v in tags.items() if k[0] == "+" and (
            "-" + k[1:] in denied if denied[0] == "*" else k[1:] not in denied)}
        label = tags.get("label") if "labeled-response" in self.enabled else None
        if label is not None:
            if not label or len(label.encode()) > 64 or label in self.labels:
                self.wrong("a label that is empty, too long or used before", text)
            self.labels.add(label)
        needs, capability = COMMANDS.get(command, (None, None))
        is_dropped = stub.drops(self, command)
        self.is_mute = bool(is_dropped)
        if is_dropped == "before":
            return self.transport.abort()
        self.label, self.replies = label, [] if label is not None else None
        if command != "BATCH" and self.batch and "batch" in tags:
            self.in_batch(command, params, tags, text)
        elif command != "BATCH" and (self.batch or "batch" in tags) and command != "PONG":
            self.wrong("a line between those of a batch, or in none", text)
        elif needs is None:
            self.wrong("an unknown command", text)
            self.send("421", command, "Unknown command")
        elif capability and capability not in self.enabled:
            self.wrong("a command without its capability", text)
            self.send("421", command, "Unknown command")
        elif len(params) < needs:
            self.wrong("too few parameters", text)
            self.send("461", command, "Not enough parameters")
        elif not self.user and command not in EARLY:
            self.wrong("a command before the login", text)
            self.send("451", "You have not registered")
        elif command == "CAP" and not stub.speaksCAP:
            self.send("421", command, "Unknown command")
        else:
            getattr(self, "do_" + command.lower())(params, client, text)
        self.answer()
        if is_dropped:
            self.transport.abort()

    # Lines out

    def answer(self):
        """Sends the answers to a labelled command as one, as labeled-response has it."""
        label, replies, self.label, self.replies = self.label, self.replies, None, None
        if label is None or self.batch and self.batch["label"] == label:
            return  # a batch is answered at its end
        if not replies:
            return self.emit("ACK", [], HOST, {"label": label})
        command, params, _, tags = replies[0]
        is_batch = (command == "BATCH" and params[0][0] == "+" and replies[-1][0] == "BATCH"
                    and replies[-1][1][0] == "-" + params[0][1:])
        if len(replies) == 1 or is_batch:
            tags["label"] = label
        else:
            name = stub.name("b")
            for reply in replies:
                reply[3].setdefault("batch", name)
            start = "BATCH", ["+" + name, "labeled-response"], HOST, {"label": label}
            replies = [start, *replies, ("BATCH", ["-" + name], HOST, {})]
        for reply in replies:
            self.emit(*reply)

    def send(self, command, *params, source=HOST, tags=None, is_answer=True):
        """Sends a line; in a labelled command it waits for the other answers, unless it is none."""
        if command.isdigit():
            params = (self.user.nick if self.user else self.nick or "*", *params)
        if self.replies is not None and is_answer:
            self.replies.append((command, params, source, dict(tags or {})))
        else:
            self.emit(command, params, source, dict(tags or {}))

    def emit(self, command, params, source, tags):
        """Sends a line with those of its tags that the client can read."""
        if "server-time" in self.enabled:
            tags.setdefault("time", stamp(now()))
        needed = {"time": "server-time", "account": "account-tag", "batch": "batch",
                  "label": "labeled-response"}
        tags = {k: v for k, v in tags.items() if needed.get(k, "message-tags") in self.enabled}
        self.write(written(command, params, source, tags))

    def write(self, line):
        if stub.isHolding and self.realname != PEER:
            self.held.append(line)
        elif not self.is_mute:
            self.transport.write(line.encode() + b"\r\n")

    def fail(self, *words):
        self.send("FAIL", *words)

    # Login

    def offered(self):
        """The capabilities and their values."""
        names = stub.capabilities + (["sts"] if stub.sts is not None else [])
        if stub.networks is not None:
            names = names + ["soju.im/bouncer-networks", "soju.im/bouncer-networks-notify"]
        values = {
            "sasl": ",".join(stub.mechanisms),
            "draft/multiline": "max-bytes=%d,max-lines=%d" % (stub.maxBytes, stub.maxLines),
            "sts": "duration=%s,port=%d" % (stub.sts, stub.ports[1]), **stub.values}
        return {name: values.get(name) or "" for name in names}

    def do_cap(self, params, client, text):
        subcommand, name = params[0].upper(), self.nick or "*"
        if subcommand == "LS":
            self.is_waiting = not self.user
            version = int(params[1]) if len(params) > 1 and params[1].isdigit() else 301
            self.version = max(self.version, version)
            if version < 302:
                return self.send("CAP", name, "LS", " ".join(self.offered()))
            self.enabled.add("cap-notify")
            lines = [""]
            for key, value in self.offered().items():
                if len(lines[-1]) > stub.lineOfLS:
                    lines.append("")
                lines[-1] += key + ("=" + value if value else "") + " "
            for line in lines[:-1]:
                self.send("CAP", name, "LS", "*", line.strip())
            self.send("CAP", name, "LS", lines[-1].strip())
        elif subcommand == "LIST":
            self.send("CAP", name, "LIST", " ".join(sorted(self.enabled)))
        elif subcommand == "REQ" and len(params) > 1:
            self.is_waiting = not self.user
            wanted = params[1].split()
            if any(w.lstrip("-") not in self.offered() or w.lstrip("-") == "sts" for w in wanted):
                self.wrong("a request for what is not offered", text)
                return self.send("CAP", name, "NAK", params[1])
            self.send("CAP", name, "ACK", params[1])
            for word in wanted:
                (self.enabled.discard if word[0] == "-" else self.enabled.add)(word.lstrip("-"))
            if self.user and "soju.im/bouncer-networks-notify" in wanted:
                self.list_networks()
        elif subcommand == "END":
            self.is_waiting = False
            self.log_in()
        else:
            self.wrong("an invalid CAP command", text)
            self.send("410", subcommand, "Invalid CAP command")

    def do_pass(self, params, client, text):
        if not self.is_secure:
            self.wrong("a password in plain text")
        if self.user:
            self.wrong("PASS behind the login")
        self.password = params[0]

    def do_user(self, params, client, text):
        if self.user or self.name:
            return self.send("462", "You may not reregister")
        self.name, self.realname = "~" + params[0][:9], params[3]
        self.log_in()

    def do_nick(self, params, client, text):
        nick = params[0]
        if not NICK.match(nick):
            return self.send("432", nick, "Erroneous nickname")
        other = self.world.user(nick)
        # A bouncer asks who it is first.
        is_later = self.is_waiting and (stub.isAlwaysOn or stub.networks is not None)
        if other and other is not self.user and not is_later and (
                self.user or not self.may_be(other)):
            return self.send("433", nick, "Nickname is already in use")
        if not self.user:
            self.nick = nick
            return self.log_in()
        world, user = self.world, self.user
        mask, former = user.mask, user.nick
        if former == nick:
            return
        del world.users[world.fold(former)]
        neighbours, user.nick = user.neighbours(), nick
        world.users[world.fold(nick)] = user
        for channel in user.channels():
            world.add(world.fold(channel.name), mask, user.account, "NICK", (nick,))
        for connection in neighbours:
            connection.send("NICK", nick, source=mask, is_answer=connection is self)
        for connection in user.connections:
            connection.nick = nick
        if world.fold(former) != world.fold(nick):
            world.presence(former, None)
            world.presence(nick, user)

    def log_in(self):
        if self.user or self.is_waiting or not self.nick or not self.name:
            return
        if stub.needsPassword and self.password != stub.needsPassword:
            self.send("464", "Password incorrect")
            return self.transport.close()
        if self.sasl:
            self.sasl = None
            self.send("906", "SASL authentication aborted")
        world = self.world
        users = [u for u in world.users.values() if u.account and u.account == self.account]
        user = users[0] if users else world.user(self.nick)
        if user and not self.may_be(user):
            self.send("433", self.nick, "Nickname is already in use")
            self.nick = None
            return
        is_new = not user
        if is_new:
            user = User(world, self.nick, self.name, self.realname, self.account)
            world.users[world.fold(self.nick)] = user
        self.user, self.nick = user, user.nick
        user.connections.append(self)
        self.send("001", "Welcome to the network " + user.mask)
        self.send("002", "Your host is %s, running version stub" % HOST)
        self.send("003", "This server was created for tests")
        self.send("004", HOST, "stub", "io", "bfiklmntov", "bfklov")
        tokens = [k + ("=" + v if v != "" else "") for k, v in stub.tokens(world).items()]
        for start in range(0, len(tokens), 12):
            self.send("005", *tokens[start:start + 12], "are supported by this server")
        self.send("422", "MOTD File is missing")
        if is_new:
            world.presence(user.nick, user)
        if "soju.im/bouncer-networks-notify" in self.enabled:
            self.list_networks()
        for channel in user.channels():
            self.joined(channel)

    def may_be(self, user):
        """Whether it may connect as somebody who is there: with their account, or as somebody that
        a test has made."""
        return user.account == self.account if user.account else not user.connections

    def leave(self, why):
        """Ends the connection, and the user with their last one."""
        if self in stub.connections:
            stub.connections.remove(self)
        user, self.user = self.user, None
        if not user:
            return
        user.connections.remove(self)
        stays = user.account and (stub.isAlwaysOn or self.world.name)
        if not user.connections and not stays:
            self.world.quit(user, why)

    def do_quit(self, params, client, text):
        self.leave("Quit: " + "".join(params[:1]))
        self.send("ERROR", "Closing link", source=None)
        self.transport.close()

    def do_ping(self, params, client, text):
        self.send("PONG", HOST, params[0])

    def do_pong(self, params, client, text):
        pass

