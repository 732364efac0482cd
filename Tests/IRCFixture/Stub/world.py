# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stub knows: options, networks, people, rooms and histories."""
import datetime
import os
import re
import time

PEER = "a peer in hobnob's tests"
HOST = "irc.hobnob.test"
ALL = """account-notify account-tag away-notify batch cap-notify chghost draft/chathistory
    draft/event-playback draft/message-redaction draft/multiline draft/read-marker echo-message
    extended-join extended-monitor invite-notify labeled-response message-tags multi-prefix
    no-implicit-names sasl server-time setname standard-replies userhost-in-names""".split()
DEFAULTS = {
    "ports": [0, 0, 0, 0],  # plain text, TLS, control, files
    "certificate": None, "key": None, "authority": None,
    "capabilities": ALL,
    "without": [],  # of these
    "values": {},  # of capabilities, instead of the usual ones
    "speaksCAP": True,
    "lineOfLS": 200,  # bytes of capabilities in one line of CAP LS 302
    "isupport": {},  # tokens, instead of the usual ones; null removes one
    "people": {},  # accounts and their passwords
    "mechanisms": ["PLAIN", "EXTERNAL", "SCRAM-SHA-256"],
    "liesInSCRAM": False,
    "needsPassword": None,  # for PASS
    "sts": None,  # seconds
    "historyLimit": 50,
    "references": "timestamp,msgid",
    "sendsContext": False,  # reactions behind their message in a history
    "redactionWindow": None,  # seconds in which one may redact
    "maxBytes": 4096, "maxLines": 24,  # of draft/multiline
    "isAlwaysOn": False,  # accounts stay in their rooms when their last connection ends
    "networks": None,  # of a bouncer: {id: {attribute: value}}
    "hasFiles": False,
    "filesAreRelative": False,  # Location
    "stripsColours": False,
    "floodLines": None, "floodSeconds": 2,  # more lines at once are a violation
}
ENDS_IN_TEXT = {"AWAY", "CAP", "ERROR", "FAIL", "KICK", "NOTICE", "PART", "PRIVMSG", "QUIT",
                "TOPIC"}


def stamp(seconds):
    time = datetime.datetime.fromtimestamp(seconds + 0.0001, datetime.timezone.utc)
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (time.microsecond // 1000)


def escaped(value):
    for letter, character in (("\\", "\\"), (":", ";"), ("s", " "), ("r", "\r"), ("n", "\n")):
        value = value.replace(character, "\\" + letter)
    return value


def written(command, params, source=None, tags=None):
    words = []
    if tags:
        words.append("@" + ";".join(k + ("=" + escaped(v) if v else "") for k, v in tags.items()))
    if source:
        words.append(":" + source)
    words += [command, *params]
    if params and (not params[-1] or " " in params[-1] or params[-1][0] == ":"
                   or command in ENDS_IN_TEXT or command.isdigit()):
        words[-1] = ":" + words[-1]
    return " ".join(words)


class Entry:
    """A line of a history."""

    def __init__(self, world, source, account, command, params, tags=None, lines=None, time=None):
        world.last = max(time or now(), world.last + 0.001)
        self.seconds, self.time = world.last, stamp(world.last)
        self.msgid = stub.name("m")
        self.source, self.account, self.command, self.params = source, account, command, params
        self.tags = tags or {}
        self.lines = lines  # of a multi-line message: [text, is joined to the former]

    def deliver(self, to, is_answer=False, **more):
        """Sends it to a connection: as a batch, as lines one by one, or as one line."""
        tags = {"time": self.time, "msgid": self.msgid, **self.tags, **more}
        if self.account:
            tags["account"] = self.account
        params = self.params
        if self.command == "JOIN" and "extended-join" in to.enabled:
            params = [*params, self.account or "*", "Real name"]
        if self.command == "TAGMSG" and "message-tags" not in to.enabled:
            return
        if not self.lines:
            return to.send(self.command, *params, source=self.source, tags=tags, is_answer=is_answer)
        if {"draft/multiline", "batch"} <= to.enabled:
            reference = stub.name("b")
            to.send("BATCH", "+" + reference, "draft/multiline", params[0], source=self.source,
                    tags=tags, is_answer=is_answer)
            for text, is_joined in self.lines:
                inner = {"batch": reference, **({"draft/multiline-concat": ""} if is_joined else {})}
                to.send(self.command, params[0], text, source=self.source, tags=inner,
                        is_answer=is_answer)
            return to.send("BATCH", "-" + reference, tags=more, is_answer=is_answer)
        for text, _ in self.lines:
            if text:
                to.send(self.command, params[0], text, source=self.source, tags=tags,
                        is_answer=is_answer)
                tags = {k: v for k, v in tags.items() if k in ("time", "account", "batch")}


class User:
    """Somebody in a world, with any number of connections."""

    def __init__(self, world, nick, name, realname, account=None):
        self.world, self.nick, self.name, self.realname = world, nick, name, realname
        self.account, self.away = account, None
        self.host = "user.hobnob.test"
        self.connections = []

    @property
    def mask(self):
        return "%s!%s@%s" % (self.nick, self.name, self.host)

    def channels(self):
        return [c for c in self.world.channels.values() if self in c.members]

    def neighbours(self):
        """Connections of whoever shares a room with them, and their own."""
        users = {u: 1 for c in self.channels() for u in c.members}
        return [c for u in {**users, self: 1} for c in u.connections]

    def watchers(self):
        """Those, and who has extended-monitor for them."""
        found, key = self.neighbours(), self.world.fold(self.nick)
        return found + [c for c in stub.connections if c not in found and key in c.monitored
                        and c.world is self.world and "extended-monitor" in c.enabled]


class Channel:
    def __init__(self, name):
        self.name, self.topic, self.members, self.invited = name, None, {}, set()
        self.modes = {"n", "t"}

    def sign(self, user, shows_all=False):
        signs = "".join(s for m, s in (("o", "@"), ("v", "+")) if m in self.members.get(user, ""))
        return signs if shows_all else signs[:1]


class World:
    """One network: the server's own, or one behind a bouncer."""

    def __init__(self, name):
        self.name, self.users, self.channels, self.history = name, {}, {}, {}
        self.last, self.markers = 0, {}

    def fold(self, text):
        pairs = {"ascii": ("", ""), "rfc1459": ("{}|^", "[]\\~"),
                 "rfc1459-strict": ("{}|", "[]\\"), "strict-rfc1459": ("{}|", "[]\\")}
        # Lower case is {}|^ there: RFC 1459, 2.2.
        lower, upper = pairs.get(stub.tokens(self).get("CASEMAPPING"), ("", ""))
        text = re.sub("[A-Z]", lambda m: m.group().lower(), text)
        return text.translate(str.maketrans(upper, lower))

    def user(self, nick):
        return self.users.get(self.fold(nick))

    def channel(self, name):
        return self.channels.get(self.fold(name))

    def place(self, one, other=None):
        """The key of a history: a room, or two people."""
        if one.startswith("#"):
            return self.fold(one)
        return tuple(sorted((self.fold(one), self.fold(other))))

    def add(self, place, *words, **more):
        """Keeps a line in a history; its other parameters are those of Entry."""
        entry = Entry(self, *words, **more)
        self.history.setdefault(place, []).append(entry)
        return entry

    def tell(self, channel, user, command, *params, by=None):
        """Something that happens in a room."""
        entry = self.add(self.fold(channel.name), user.mask, user.account, command, params)
        for member in channel.members:
            for connection in member.connections:
                entry.deliver(connection, connection is by)

    def presence(self, nick, user):
        """Tells whoever monitors a nick that somebody has it now, or nobody."""
        for connection in stub.connections:
            if connection.world is self and self.fold(nick) in connection.monitored:
                connection.send(*(("730", user.mask) if user else ("731", nick)), is_answer=False)

    def quit(self, user, why):
        neighbours = user.neighbours()
        del self.users[self.fold(user.nick)]
        for channel in user.channels():
            self.add(self.fold(channel.name), user.mask, user.account, "QUIT", (why,))
            del channel.members[user]
        for connection in neighbours:
            connection.send("QUIT", why, source=user.mask, is_answer=False)
        self.presence(user.nick, None)


class Stub:
    """The server: its options are attributes."""

    def __init__(self):
        self.connections, self.violations, self.accepted, self.lines = [], [], [], []
        self.uploads, self.dropping, self.isHolding = [], None, False
        self.count, self.nonce = 0, os.urandom(3).hex()

    def configure(self, options):
        unknown = set(options) - set(DEFAULTS)
        if unknown:
            raise SystemExit("unknown options: %s" % unknown)
        self.__dict__.update({**DEFAULTS, **options})
        self.capabilities = [c for c in self.capabilities if c not in self.without]
        self.worlds = {name: World(name) for name in ["", *(self.networks or {})]}

    def name(self, kind):
        """A name that nothing else has; nobody may read anything into it."""
        self.count += 1
        return "%s%s-%d" % (kind, self.nonce, self.count)

    def tokens(self, world):
        """The tokens of 005."""
        tokens = {
            "CASEMAPPING": "rfc1459", "CHANTYPES": "#", "CHANMODES": "b,k,l,imnt",
            "PREFIX": "(ov)@+", "STATUSMSG": "@+", "NETWORK": "Hobnob", "NICKLEN": "30",
            "CHANNELLEN": "64", "TOPICLEN": "390", "MODES": "4", "MONITOR": "100", "WHOX": "",
            "TARGMAX": "JOIN:,PRIVMSG:4,NOTICE:4,TAGMSG:4", "UTF8ONLY": ""}
        if "draft/chathistory" in self.capabilities:
            tokens.update(CHATHISTORY=str(self.historyLimit), MSGREFTYPES=self.references)
        if self.networks is not None:
            tokens["BOUNCER_NETID"] = world.name
            tokens["NETWORK"] = self.networks.get(world.name, {}).get("name", "Hobnob")
        if self.hasFiles:
            tokens["soju.im/FILEHOST"] = "https://localhost:%d/upload" % self.ports[3]
        tokens.update(self.isupport)
        return {key: value for key, value in tokens.items() if value is not None}

    def drops(self, connection, command):
        """Whether this command ends its connection, "before" or "after" it is carried out."""
        drop = self.dropping
        if not drop or (connection.nick, command) != (drop["nick"], drop["command"]):
            return None
        drop["count"] -= 1
        if drop["count"] > 0:
            return None
        self.dropping = None
        return drop["when"]


def now():
    return time.time()


stub = Stub()
