# SPDX-License-Identifier: GPL-3.0-or-later
"""People and rooms."""
import re

from world import HOST, Channel, Entry, now, stub


class Rooms:
    """The commands for people and rooms, of a connection."""

    def do_away(self, params, client, text):
        self.user.away = params[0] if params and params[0] else None
        self.send("306" if self.user.away else "305", "You are now away or not")
        for connection in self.user.watchers():
            if "away-notify" in connection.enabled and connection is not self:
                connection.send("AWAY", *params[:1], source=self.user.mask)

    def do_setname(self, params, client, text):
        self.user.realname = params[0]
        for connection in self.user.watchers():
            if "setname" in connection.enabled:
                connection.send("SETNAME", params[0], source=self.user.mask)

    def do_monitor(self, params, client, text):
        limit = stub.tokens(self.world).get("MONITOR")
        if limit is None:
            self.wrong("MONITOR, which is not offered", text)
            return self.send("421", "MONITOR", "Unknown command")
        sign, names = params[0].upper(), ",".join(params[1:2]).split(",")
        if sign == "+":
            for name in filter(None, names):
                key = self.world.fold(name)
                if key not in self.monitored and limit and len(self.monitored) >= int(limit):
                    self.wrong("more than %s names in MONITOR" % limit, text)
                    self.send("734", limit, name, "Monitor list is full.")
                    break
                self.monitored[key] = name
                self.presence(name)
        elif sign == "-":
            for name in names:
                self.monitored.pop(self.world.fold(name), None)
        elif sign == "C":
            self.monitored.clear()
        elif sign == "L":
            for name in self.monitored.values():
                self.send("732", name)
            self.send("733", "End of MONITOR list")
        elif sign == "S":
            for name in self.monitored.values():
                self.presence(name)
        else:
            self.wrong("an unknown MONITOR", text)

    def presence(self, name):
        user = self.world.user(name)
        if user:
            self.send("730", user.mask)
        else:
            self.send("731", name)

    def do_whois(self, params, client, text):
        user = self.world.user(params[-1])
        if not user:
            self.send("401", params[-1], "No such nick/channel")
        else:
            self.send("311", user.nick, user.name, user.host, "*", user.realname)
            names = [c.sign(user) + c.name for c in user.channels()]
            if names:
                self.send("319", user.nick, " ".join(names))
            self.send("312", user.nick, HOST, "tests")
            if user.away:
                self.send("301", user.nick, user.away)
            if user.account:
                self.send("330", user.nick, user.account, "is logged in as")
            self.send("317", user.nick, "1", "1700000000", "seconds idle, signon time")
        self.send("318", params[-1], "End of /WHOIS list.")

    def do_who(self, params, client, text):
        channel, user = self.world.channel(params[0]), self.world.user(params[0])
        fields, _, token = params[1][1:].partition(",") if len(params) > 1 else ("", "", "")
        if "t" in fields and not re.match(r"\d{1,3}\Z", token):
            self.wrong("WHOX without a number", text)
        for user in list(channel.members) if channel else [user] if user else []:
            place = channel.name if channel else "*"
            flags = ("G" if user.away else "H") + (channel.sign(user, True) if channel else "")
            values = {"t": token, "c": place, "u": user.name, "i": "255.255.255.255",
                      "h": user.host, "s": HOST, "n": user.nick, "f": flags, "d": "0", "l": "0",
                      "a": user.account or "0", "o": "n/a", "r": user.realname}
            if len(params) > 1 and params[1][0] == "%":
                self.send("354", *[v for k, v in values.items() if k in fields])
            else:
                self.send("352", place, user.name, user.host, HOST, user.nick, flags,
                          "0 " + user.realname)
        self.send("315", params[0], "End of /WHO list.")

    # Rooms

    def do_join(self, params, client, text):
        for name in params[0].split(","):
            if not re.match(r"#[^\s,\x07]{0,63}\Z", name):
                self.wrong("no name of a room", text)
                self.send("476", name, "Invalid channel name")
            else:
                self.join(name)

    def join(self, name):
        world, user = self.world, self.user
        channel = world.channels.setdefault(world.fold(name), Channel(name))
        if user in channel.members:
            return
        if "i" in channel.modes and user.nick not in channel.invited:
            return self.send("473", channel.name, "Cannot join channel (+i)")
        channel.members[user] = "" if channel.members else "o"
        entry = world.add(world.fold(name), user.mask, user.account, "JOIN", (channel.name,))
        for member in channel.members:
            for connection in member.connections:
                if member is user:
                    connection.joined(channel, entry)
                    continue
                entry.deliver(connection)
                if user.away and "away-notify" in connection.enabled:
                    connection.send("AWAY", user.away, source=user.mask)

    def joined(self, channel, entry=None):
        """Tells the client that it is in a room."""
        mask, account = self.user.mask, self.user.account
        entry = entry or Entry(self.world, mask, account, "JOIN", (channel.name,))
        entry.deliver(self, True)
        if channel.topic:
            self.send_topic(channel)
        if "draft/read-marker" in self.enabled:
            self.send_marker(channel.name)
        if "no-implicit-names" not in self.enabled:
            self.do_names([channel.name], {}, "")

    def do_names(self, params, client, text):
        channel = self.world.channel(params[0])
        names = [channel.sign(u, "multi-prefix" in self.enabled) + (
            u.mask if "userhost-in-names" in self.enabled else u.nick)
            for u in channel.members] if channel else []
        line = []
        for name in names:
            if len(" ".join(line)) + len(name) > 400:
                self.send("353", "=", channel.name, " ".join(line))
                line = []
            line.append(name)
        if line:
            self.send("353", "=", channel.name, " ".join(line))
        self.send("366", channel.name if channel else params[0], "End of /NAMES list.")

    def inside(self, name, needs_operator=False):
        """The room, if the user is in it; else the refusal is sent."""
        channel = self.world.channel(name)
        if not channel:
            self.send("403", name, "No such channel")
        elif self.user not in channel.members:
            self.send("442", name, "You're not on that channel")
        elif needs_operator and "o" not in channel.members[self.user]:
            self.send("482", name, "You're not channel operator")
        else:
            return channel
        return None

    def do_part(self, params, client, text):
        for name in params[0].split(","):
            channel = self.inside(name)
            if channel:
                self.parted(channel, *params[1:2])

    def parted(self, channel, *why):
        self.world.tell(channel, self.user, "PART", channel.name, *why, by=self)
        del channel.members[self.user]

    def do_kick(self, params, client, text):
        channel = self.inside(params[0], True)
        if not channel:
            return
        user = self.world.user(params[1])
        if user not in channel.members:
            return self.send("441", params[1], params[0], "They aren't on that channel")
        why = params[2] if len(params) > 2 and params[2] else self.user.nick
        self.world.tell(channel, self.user, "KICK", channel.name, user.nick, why,
                        by=self)
        del channel.members[user]

    def do_invite(self, params, client, text):
        channel, user = self.inside(params[1], True), self.world.user(params[0])
        if not channel:
            return
        if not user:
            return self.send("401", params[0], "No such nick/channel")
        channel.invited.add(user.nick)
        self.send("341", user.nick, channel.name)
        for member in {**channel.members, user: ""}:
            for connection in member.connections:
                if connection is not self and (
                        member is user or "invite-notify" in connection.enabled):
                    connection.send("INVITE", user.nick, channel.name, source=self.user.mask)

    def send_topic(self, channel):
        self.send("332", channel.name, channel.topic[0])
        self.send("333", channel.name, *channel.topic[1:])

    def do_topic(self, params, client, text):
        channel = self.inside(params[0], len(params) > 1)
        if not channel:
            return
        if len(params) > 1:
            channel.topic = [params[1], self.user.mask, str(int(now()))] if params[1] else None
            self.world.tell(channel, self.user, "TOPIC", channel.name, params[1], by=self)
        elif channel.topic:
            self.send_topic(channel)
        else:
            self.send("331", channel.name, "No topic is set")

    def do_mode(self, params, client, text):
        if not params[0].startswith("#"):
            return self.send("221", "+i")
        if len(params) == 1:
            channel = self.inside(params[0])
            return channel and self.send("324", channel.name, "+" + "".join(channel.modes))
        if params[1:] in (["b"], ["+b"]):
            return self.send("368", params[0], "End of channel ban list")
        channel = self.inside(params[0], True)
        if not channel:
            return
        sign, values, done, names = "+", list(params[2:]), "", []
        for letter in params[1]:
            if letter in "+-":
                sign = letter
                continue
            if letter in "ov":
                user = self.world.user(values.pop(0)) if values else None
                if user not in channel.members:
                    self.send("441", "*", params[0], "They aren't on that channel")
                    continue
                ranks = channel.members[user].replace(letter, "")
                channel.members[user] = ranks + (letter if sign == "+" else "")
                names.append(user.nick)
            elif letter in "imnt":
                (channel.modes.add if sign == "+" else channel.modes.discard)(letter)
            else:
                self.send("472", letter, "is unknown mode char to me")
                continue
            done += sign + letter
        if done:
            self.world.tell(channel, self.user, "MODE", channel.name, done, *names, by=self)
