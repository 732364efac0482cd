# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages, their histories, and a bouncer's networks."""
import re

from world import escaped, now, stub

STAMP = re.compile(r"timestamp=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\Z")
COLOURS = re.compile("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|[\x02\x0f\x11\x16\x1d\x1e\x1f]")
HISTORIES = {"AFTER": 4, "AROUND": 4, "BEFORE": 4, "BETWEEN": 5, "LATEST": 4, "TARGETS": 4}


class Messages:
    """The commands for messages, of a connection."""

    def do_privmsg(self, params, client, text):
        self.say("PRIVMSG", params, client, text)

    def do_notice(self, params, client, text):
        self.say("NOTICE", params, client, text)

    def do_tagmsg(self, params, client, text):
        self.say("TAGMSG", params[:1], client, text)

    def say(self, command, params, client, text):
        targets = params[0].split(",")
        if len(targets) > 4:
            self.wrong("more targets than TARGMAX", text)
            return self.send("407", params[0], "Too many targets")
        if params[1:] == [""]:
            self.wrong("a message without text", text)
            return self.send("412", "No text to send")
        for target in targets:
            self.say_to(command, target, params[1:2], client, text)

    def say_to(self, command, target, words, client, text, lines=None):
        world, user = self.world, self.user
        name = target.lstrip("@+") if "#" in target else target
        channel, other = world.channel(name), world.user(name)
        if name[0] == "#" and not channel:
            return self.send("403", target, "No such channel")
        if name[0] != "#" and not other:
            return self.send("401", target, "No such nick/channel")
        if channel and (user not in channel.members or "m" in channel.modes
                        and not channel.members[user]):
            return self.send("404", target, "Cannot send to channel")
        for said in [line for line, _ in lines] if lines else words:
            if len((":%s %s %s :%s" % (user.mask, command, target, said)).encode()) > 510:
                self.wrong("a message that a server would cut", text)
        if stub.stripsColours:
            words = [COLOURS.sub("", word) for word in words]
        # Names as the server writes them.
        params = (target if "@" in target or "+" in target else
                  channel.name if channel else other.nick, *words)
        entry = world.add(world.place(name, user.nick), user.mask, user.account, command, params,
                          client, lines)
        stub.accepted.append({
            "nick": user.nick, "command": command, "target": params[0], "tags": client,
            "text": "".join(words) if not lines else joined(lines), "msgid": entry.msgid,
            "time": now(), "stamp": entry.time, "network": world.name})
        for member in channel.members if channel else {other: ""}:
            if "@" in target and "o" not in channel.members[member]:
                continue
            for connection in member.connections:
                if member is not user or other is user:
                    entry.deliver(connection)
        for connection in user.connections:
            if "echo-message" in connection.enabled:
                entry.deliver(connection, connection is self)
        if other and other.away and command == "PRIVMSG":
            self.send("301", other.nick, other.away)

    # draft/multiline

    def do_batch(self, params, client, text):
        sign, reference, batch = params[0][0], params[0][1:], self.batch
        if sign == "+":
            if batch or not re.match(r"[A-Za-z0-9-]+\Z", reference):
                self.wrong("a batch in a batch, or without a good name", text)
                return self.fail("BATCH", "INVALID_REFTAG", reference, "Invalid batch")
            if params[1:2] != ["draft/multiline"] or len(params) != 3:
                self.wrong("a batch of an unknown type", text)
                return self.fail("BATCH", "UNKNOWN_TYPE", reference, "".join(params[1:2]) or "*",
                                 "Unknown type")
            self.batch = {"name": reference, "target": params[2], "client": client, "lines": [],
                          "label": self.label, "command": None, "failure": None}
            return
        if not batch or reference != batch["name"]:
            self.wrong("the end of a batch that is not open", text)
            return self.fail("BATCH", "INVALID_REFTAG", reference, "Invalid batch")
        self.batch, self.label = None, batch["label"]
        self.replies = [] if self.label is not None else None
        lines, failure = batch["lines"], batch["failure"]
        size = len(joined(lines).encode())
        if not failure and size > stub.maxBytes:
            failure = "MULTILINE_MAX_BYTES", str(stub.maxBytes)
        if not failure and len(lines) > stub.maxLines:
            failure = "MULTILINE_MAX_LINES", str(stub.maxLines)
        if not failure and not any(line for line, _ in lines):
            failure = ("MULTILINE_INVALID",)
        if failure:
            self.wrong("a bad batch: " + " ".join(failure), text)
            return self.fail("BATCH", *failure, "Invalid multiline batch")
        self.say_to(batch["command"], batch["target"], [], batch["client"], text, lines)

    def in_batch(self, command, params, tags, text):
        batch, is_joined = self.batch, "draft/multiline-concat" in tags
        if set(tags) - {"batch", "draft/multiline-concat"} or tags["batch"] != batch["name"]:
            batch["failure"] = ("MULTILINE_INVALID",)
        elif command not in ("PRIVMSG", "NOTICE") or len(params) != 2:
            batch["failure"] = ("MULTILINE_INVALID",)
        elif batch["command"] not in (None, command) or is_joined and not (
                params[1] and batch["lines"]):
            batch["failure"] = ("MULTILINE_INVALID",)
        elif params[0] != batch["target"]:
            batch["failure"] = "MULTILINE_INVALID_TARGET", batch["target"], params[0]
        else:
            batch["command"] = command
            batch["lines"].append([params[1], is_joined])

    # draft/message-redaction, draft/read-marker

    def do_redact(self, params, client, text):
        target, msgid = params[:2]
        channel, other = self.world.channel(target), self.world.user(target)
        history = self.world.history.get(self.world.place(target, self.user.nick), [])
        entry = next((e for e in history if e.msgid == msgid), None)
        if not channel and not other or channel and self.user not in channel.members:
            return self.fail("REDACT", "INVALID_TARGET", target, "You cannot delete messages there")
        if not entry:
            return self.fail("REDACT", "UNKNOWN_MSGID", target, msgid, "This message is too old")
        if entry.source != self.user.mask and "o" not in (
                channel.members[self.user] if channel else ""):
            return self.fail("REDACT", "REDACT_FORBIDDEN", target, msgid, "You are not authorised")
        window = stub.redactionWindow
        if window is not None and now() - entry.seconds > window:
            return self.fail("REDACT", "REDACT_WINDOW_EXPIRED", target, msgid, str(window),
                             "You can no longer delete this message")
        history.remove(entry)
        for user in {**(channel.members if channel else {other: 1}), self.user: 1}:
            for connection in user.connections:
                if "draft/message-redaction" in connection.enabled:
                    connection.send("REDACT", *params[:3], source=self.user.mask,
                                    is_answer=connection is self)

    def do_markread(self, params, client, text):
        key = self.user.account or self.user.nick, self.world.fold(params[0])
        if len(params) > 1:
            mark, place = STAMP.match(params[1]), self.world.place(params[0], self.user.nick)
            if not mark:
                self.wrong("no time", text)
                return self.fail("MARKREAD", "INVALID_PARAMS", params[1], "Invalid parameters")
            if not any(e.time == mark.group(1) for e in self.world.history.get(place, [])):
                self.wrong("a mark at a time that no message has", text)
            if mark.group(1) > self.world.markers.get(key, ""):
                self.world.markers[key] = mark.group(1)
                for connection in self.user.connections:
                    if connection is not self and "draft/read-marker" in connection.enabled:
                        connection.send_marker(params[0])
        self.send_marker(params[0])

    def send_marker(self, target):
        mark = self.world.markers.get((self.user.account or self.user.nick,
                                       self.world.fold(target)))
        self.send("MARKREAD", target, "timestamp=" + mark if mark else "*")

    # draft/chathistory

    def do_chathistory(self, params, client, text):
        command = params[0].upper()

        def refuse(why, code="INVALID_PARAMS", *more):
            if code != "INVALID_TARGET":
                self.wrong(why, text)
            self.fail("CHATHISTORY", code, command, *more, why)

        if command not in HISTORIES:
            return refuse("Unknown command")
        if len(params) != HISTORIES[command]:
            return refuse("Insufficient parameters or too many")
        if not re.match(r"[1-9]\d*\Z", params[-1]) or int(params[-1]) > stub.historyLimit > 0:
            return refuse("Invalid limit")
        limit, bounds = int(params[-1]), params[1 if command == "TARGETS" else 2:-1]
        for bound in bounds:
            kind = bound.partition("=")[0]
            if bound == "*" and command == "LATEST":
                continue
            if kind not in stub.references.split(",") and kind in ("msgid", "timestamp"):
                return refuse("Not supported", "INVALID_MSGREFTYPE", params[1])
            if kind != "msgid" and not STAMP.match(bound) or command == "TARGETS" == kind:
                return refuse("Invalid timestamp")
        if command == "TARGETS":
            return self.send_targets(sorted(b.partition("=")[2] for b in bounds), limit)
        channel, target = self.world.channel(params[1]), params[1]
        if target[0] == "#" and (not channel or self.user not in channel.members):
            return refuse("Messages could not be retrieved", "INVALID_TARGET", target)
        entries = self.world.history.get(self.world.place(target, self.user.nick), [])
        if "draft/event-playback" not in self.enabled:
            shown = [e for e in entries if e.command in ("PRIVMSG", "NOTICE")]
        else:
            shown = entries
        order = {entry.msgid: index for index, entry in enumerate(entries)}

        def split(bound):
            """What is before and what is behind a bound."""
            kind, _, value = bound.partition("=")
            if kind == "timestamp":
                return [e for e in shown if e.time < value], [e for e in shown if e.time > value]
            at = order[value]
            return ([e for e in shown if order[e.msgid] < at],
                    [e for e in shown if order[e.msgid] > at])

        try:
            before, behind = split(bounds[0]) if bounds[0] != "*" else ([], shown)
            if command == "LATEST":
                found = behind[-limit:]
            elif command == "BEFORE":
                found = before[-limit:]
            elif command == "AFTER":
                found = behind[:limit]
            elif command == "AROUND":
                start = max(0, len(before) - limit // 2)
                found = shown[start:start + limit]
            else:
                before_second, behind_second = split(bounds[1])
                forwards = len(behind) + len(before_second) - len(shown)
                backwards = len(behind_second) + len(before) - len(shown)
                found = (behind[:max(0, forwards)][:limit]
                         or behind_second[:max(0, backwards)][-limit:])
        except KeyError:
            return self.fail("CHATHISTORY", "MESSAGE_ERROR", command, target,
                             "Messages could not be retrieved")
        with Batch(self, "chathistory", channel.name if channel else target) as batch:
            for entry in found:
                entry.deliver(self, True, batch=batch)
                for other in entries if stub.sendsContext else ():
                    if other.tags.get("+reply") == entry.msgid and other.command == "TAGMSG":
                        more = {"batch": batch, "draft/chathistory-context": ""}
                        other.deliver(self, True, **more)

    def send_targets(self, bounds, limit):
        me, targets = self.world.fold(self.user.nick), []
        for place, history in self.world.history.items():
            last = next((e for e in reversed(history) if e.command in ("PRIVMSG", "NOTICE")), None)
            if not last or not bounds[0] < last.time < bounds[1]:
                continue
            if isinstance(place, str):
                if self.user in self.world.channels[place].members:
                    targets.append((last.time, self.world.channels[place].name))
            elif me in place:
                other = place[place[0] == me]
                source = last.source.partition("!")[0]
                known = self.world.user(other)
                targets.append((last.time, known.nick if known else source if
                                self.world.fold(source) == other else other))
        with Batch(self, "draft/chathistory-targets") as batch:
            for time, name in sorted(targets)[:limit]:
                self.send("CHATHISTORY", "TARGETS", name, time, tags={"batch": batch})

    # soju.im/bouncer-networks

    def do_bouncer(self, params, client, text):
        command = params[0].upper()
        if command == "LISTNETWORKS":
            self.list_networks()
        elif command != "BIND":
            self.fail("BOUNCER", "UNKNOWN_COMMAND", params[0], "Unknown subcommand")
        elif self.user:
            self.wrong("BIND behind the login", text)
            self.fail("BOUNCER", "REGISTRATION_IS_COMPLETED", "BIND", "Too late")
        elif not self.account:
            self.wrong("BIND without an account", text)
            self.fail("BOUNCER", "ACCOUNT_REQUIRED", "BIND", "Authentication required")
        elif params[1] not in stub.networks:
            self.fail("BOUNCER", "INVALID_NETID", "BIND", params[1], "Network not found")
        else:
            self.world = stub.worlds[params[1]]

    def list_networks(self):
        with Batch(self, "soju.im/bouncer-networks") as batch:
            for name, attributes in stub.networks.items():
                self.send("BOUNCER", "NETWORK", name, attributes_text(attributes),
                          tags={"batch": batch})


class Batch:
    """Sends the start and the end of a batch."""

    def __init__(self, connection, *words):
        self.connection, self.words, self.name = connection, words, stub.name("b")

    def __enter__(self):
        if "batch" in self.connection.enabled:
            self.connection.send("BATCH", "+" + self.name, *self.words)
        return self.name

    def __exit__(self, *error):
        if "batch" in self.connection.enabled:
            self.connection.send("BATCH", "-" + self.name)


def joined(lines):
    """The text of a multi-line message."""
    return "".join(("" if is_joined or not index else "\n") + line
                   for index, (line, is_joined) in enumerate(lines))


def attributes_text(attributes):
    return ";".join("%s=%s" % (k, escaped(v)) if v else k for k, v in attributes.items())
