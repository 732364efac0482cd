# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody else's client that encrypts (slixmpp-omemo, XEP-0384), for tests.

usage: encrypting.py JID PASSWORD HOST PORT CA STATE VERSIONS

STATE is the file with the keys of this device: if it is missing, the account gets a new device. The
device publishes VERSIONS, and reads nothing else: "legacy", "2" or "legacy,2". It trusts blindly.

Input and output are those of foreign.py. More commands: ["seal", to, version, id, text] and
["seal-correct", to, version, id, of, text] send a text that is encrypted; ["seal-file", to,
version, id, path] sends a file that is encrypted (XEP-0454), and ["open-file", link, path] fetches
one; ["forget", account] loses
the sessions with an account; ["spoil", account] breaks them, so that the account cannot read what
it gets next; ["withdraw"] publishes lists without devices. ["private-room", room, nick, account, …]
makes a room for members only, where they see each other's addresses, and these accounts members;
["enter", room, nick] enters one, with what was said there before; ["open-room", room] lets everybody
in; ["seal-room", room, version, id, text, account, …] sends a text there that is encrypted for
these accounts.

More output: ["device", number, fingerprint] before ["up"]; ["done", command, id] once the server
has what a command sends; ["message", members] for every message with a text, a reaction or
something encrypted, also from a carbon copy. Its members:

id, from, to    of the stanza; "replaces", "replies-to", "reacts-to", "reactions" if it has them
version         of the encryption, or null
text            null if there is none, or none that can be read
inside          the names of the elements that were encrypted, in version 2
device          the number of the sender's device
empty           whether something is encrypted that has no text, and only begins or heals a session
unreadable      why it cannot be read, or null
"""
import asyncio
import io
import json
import os
import secrets
import ssl
import sys
import urllib.request
from xml.etree import ElementTree

import oldmemo
import oldmemo.etree
import slixmpp
import slixmpp.plugins
import twomemo
import twomemo.etree
from omemo.session_manager import MessageNotForUs, UnknownNamespace
from omemo.storage import Just, Nothing, Storage
from slixmpp.plugins.xep_0454 import XEP_0454
from slixmpp_omemo import TrustLevel, XEP_0384, xep_0384

import foreign
from foreign import tell

CLIENT = "{jabber:client}"
ENVELOPE = "{urn:xmpp:sce:1}"
UPLOAD = "{urn:xmpp:http:upload:0}"
NAMESPACES = {"2": twomemo.twomemo.NAMESPACE, "legacy": oldmemo.oldmemo.NAMESPACE}


class State(Storage):
    """The keys and sessions of a device, in a file that is written at each change."""

    def __init__(self, path):
        super().__init__(True)
        self.path = path
        self.values = {}
        if os.path.exists(path):
            with open(path) as file:
                self.values = json.load(file)

    async def _load(self, key):
        return Just(self.values[key]) if key in self.values else Nothing()

    async def _store(self, key, value):
        self.values[key] = value
        self.write()

    async def _delete(self, key):
        self.values.pop(key, None)
        self.write()

    def write(self):
        with open(self.path + ".new", "w") as file:
            json.dump(self.values, file)
        os.replace(self.path + ".new", self.path)


class Encryption(XEP_0384):
    default_config = {"path": "", "versions": ["legacy", "2"]}

    def plugin_init(self):
        self.state = State(self.path)
        kinds = {"2": twomemo.Twomemo, "legacy": oldmemo.Oldmemo}
        self.backends = [kinds[version](self.state) for version in self.versions]
        self.manager, self.is_withdrawn = None, False
        super().plugin_init()

    def session_bind(self, jid):
        # The library adds these before it has a full address, and loses them when it gets one.
        for node in (xep_0384.TWOMEMO_DEVICE_LIST_NODE, xep_0384.OLDMEMO_DEVICE_LIST_NODE):
            self.xmpp.plugin["xep_0163"].add_interest(node)
        super().session_bind(jid)

    @property
    def storage(self):
        return self.state

    @property
    def _btbv_enabled(self):
        return True

    async def _prompt_manual_trust(self, devices, identifier):
        for device in devices:
            await (await self.get_session_manager()).set_trust(
                device.bare_jid, device.identity_key, TrustLevel.TRUSTED.value)

    async def get_session_manager(self):
        """The library's own always publishes both versions."""
        if self.manager is None:
            self.manager = asyncio.ensure_future(self.prepare())
        return await self.manager

    async def prepare(self):
        kind = xep_0384._make_session_manager(self.xmpp, self)
        manager = await kind.create(
            self.backends, self.state, self.xmpp.boundjid.bare, None, TrustLevel.UNDECIDED.value)
        await manager.ensure_data_consistency()
        await manager.after_history_sync()
        return manager

    async def _on_device_list_update(self, message):
        # The library would put the device back.
        if self.is_withdrawn:
            return
        try:
            await super()._on_device_list_update(message)
        except UnknownNamespace:
            pass

    async def withdraw(self):
        self.is_withdrawn = True
        await (await self.get_session_manager()).clear_device_lists()

    async def forget(self, account):
        for backend in self.backends:
            try:
                await backend.purge_bare_jid(account)
            except KeyError:
                pass  # There is no session in this version.

    def spoil(self, account):
        for key, value in self.state.values.items():
            if "/%s/" % account in key and key.endswith("/double_ratchet"):
                ratchet = value["diffie_hellman_ratchet"]["symmetric_key_ratchet"]
                ratchet["sending_chain"]["key"] = ratchet["sending_chain"]["key"][::-1]
        self.state.write()


class Encrypting(foreign.Foreign):
    def __init__(self, jid, password, path, versions):
        super().__init__(jid, password)
        # The newest first.
        versions = [version for version in NAMESPACES if version in versions]
        self.namespaces = {version: NAMESPACES[version] for version in versions}
        slixmpp.plugins.register_plugin(Encryption)
        self.register_plugin("xep_0380")
        self.register_plugin("xep_0384", {"path": path, "versions": versions})
        self.encryption = self.plugin["xep_0384"]
        # The library must finish with a message before it gets the next.
        self.turn = asyncio.Lock()
        self.register_handler(slixmpp.xmlstream.handler.CoroutineCallback(
            "all messages", slixmpp.xmlstream.matcher.MatchXPath(CLIENT + "message"), self.hear))

    async def start(self, event):
        manager = await self.encryption.get_session_manager()
        device, _ = await manager.get_own_device_information()
        tell("device", device.device_id, manager.format_identity_key(device.identity_key))
        await super().start(event)

    # Commands

    async def do(self, words):
        command, rest = words[0], words[1:]
        if command == "seal":
            to, version, id, text = rest
            await self.seal(to, version, id, text)
        elif command == "seal-correct":
            to, version, id, of, text = rest
            await self.seal(to, version, id, text, of)
        elif command == "seal-file":
            to, version, id, path = rest
            await self.seal(to, version, id, await self.upload(path))
        elif command == "open-file":
            self.fetch(*rest)
        elif command == "forget":
            await self.encryption.forget(rest[0])
        elif command == "spoil":
            self.encryption.spoil(rest[0])
        elif command == "withdraw":
            await self.encryption.withdraw()
        elif command == "private-room":
            room, nick, members = rest[0], rest[1], rest[2:]
            await self["xep_0045"].join_muc_wait(room, nick, maxstanzas=0)
            await self.configure(room, membersonly="1", whois="anyone")
            for account in members:
                await self["xep_0045"].set_affiliation(room, "member", jid=account)
        elif command == "enter":
            await self["xep_0045"].join_muc_wait(rest[0], rest[1], maxstanzas=20)
        elif command == "open-room":
            await self.configure(rest[0], membersonly="0")
        elif command == "seal-room":
            room, version, id, text = rest[:4]
            await self.seal(room, version, id, text, accounts=rest[4:])
        else:
            return super().do(words)
        # The answer to a ping shows that the server has what was sent before.
        await self.plugin["xep_0199"].send_ping(self.boundjid.domain)
        tell("done", command, *rest[2:3])

    async def configure(self, room, **settings):
        form = self["xep_0004"].make_form(ftype="submit")
        form.add_field(
            var="FORM_TYPE", ftype="hidden", value="http://jabber.org/protocol/muc#roomconfig")
        for name, value in settings.items():
            form.add_field(var="muc#roomconfig_" + name, value=value)
        await self["xep_0045"].set_room_config(room, form)

    async def seal(self, *words, accounts=None):
        async with self.turn:
            (await self.sealed(*words, accounts=accounts)).send()

    async def sealed(self, to, version, id, text, of=None, accounts=None):
        namespace = NAMESPACES[version]
        room = to if accounts else None
        accounts = accounts or [slixmpp.JID(to).bare]
        message = self.make_message(mto=to, mtype="groupchat" if room else "chat")
        message["id"] = message["origin_id"]["id"] = id
        message["body"] = "This text is for programs that cannot decrypt."
        if of and version == "legacy":
            message["replace"]["id"] = of
        plain = text.encode() if version == "legacy" else self.envelope(text, of, room)
        message["eme"]["namespace"] = namespace
        if not room:
            message["request_receipt"] = True
        message.enable("store")
        manager = await self.encryption.get_session_manager()
        for account in accounts:
            await manager.refresh_device_list(namespace, account)
        sealed, errors = await manager.encrypt(
            frozenset(accounts), {namespace: plain}, [namespace])
        for error in errors:
            tell("failed", str(error))
        for each in sealed:
            module = twomemo if version == "2" else oldmemo
            message.append(module.etree.serialize_message(each))
        return message

    async def upload(self, path):
        with open(path, "rb") as file:
            sealed, fragment = XEP_0454.encrypt(file)
        ask = self.make_iq_get(ito="files." + self.boundjid.domain)
        ask.append(ElementTree.Element(UPLOAD + "request", {
            "filename": "sealed" + os.path.splitext(path)[1], "size": str(len(sealed))}))
        slot = (await ask.send()).xml.find(UPLOAD + "slot")
        put = slot.find(UPLOAD + "put")
        headers = {each.get("name"): each.text for each in put}
        self.open_url(urllib.request.Request(
            put.get("url"), sealed, {"Content-Type": "application/octet-stream"} | headers,
            method="PUT"))
        return XEP_0454.format_url(slot.find(UPLOAD + "get").get("url"), fragment)

    def fetch(self, link, path):
        address, fragment = link.split("#")
        sealed = self.open_url(address.replace("aesgcm://", "https://"))
        with open(path + ".sealed", "wb") as file:
            file.write(sealed)
        with open(path, "wb") as file:
            file.write(XEP_0454.decrypt(io.BytesIO(sealed), fragment))

    def open_url(self, request):
        with urllib.request.urlopen(request, context=self.ssl_context) as answer:
            return answer.read()

    def envelope(self, text, of, room):
        """What version 2 encrypts (XEP-0420)."""
        envelope = ElementTree.Element(ENVELOPE + "envelope")
        content = ElementTree.SubElement(envelope, ENVELOPE + "content")
        ElementTree.SubElement(content, CLIENT + "body").text = text
        if of:
            ElementTree.SubElement(content, "{urn:xmpp:message-correct:0}replace", {"id": of})
        ElementTree.SubElement(envelope, ENVELOPE + "rpad").text = secrets.token_hex(8)
        ElementTree.SubElement(envelope, ENVELOPE + "from", {"jid": self.boundjid.bare})
        if room:
            ElementTree.SubElement(envelope, ENVELOPE + "to", {"jid": room})
        return slixmpp.xmlstream.tostring(envelope).encode()

    # Messages

    async def hear(self, stanza):
        message = self.copied(stanza)
        members = {name: message.get(name) for name in ("id", "from", "to")}
        members |= {"version": None, "inside": [], "empty": False, "unreadable": None}
        members |= self.read(message)
        namespaces = [
            each for each in NAMESPACES.values() if message.find("{%s}encrypted" % each) is not None]
        if namespaces:
            members["text"] = None
            members["empty"] = all(
                message.find("{%s}encrypted/{%s}payload" % (each, each)) is None
                for each in namespaces)
            try:
                async with self.turn:
                    await self.open(message, members)
            except Exception as problem:
                members["unreadable"] = repr(problem)
        elif members["text"] is None and "reactions" not in members:
            return
        tell("message", members)

    def copied(self, stanza):
        """The message that a carbon copy is of, or itself."""
        if stanza["from"].bare == self.boundjid.bare:
            for direction in ("sent", "received"):
                copy = stanza.xml.find(
                    "{urn:xmpp:carbons:2}%s/{urn:xmpp:forward:0}forwarded/%smessage"
                    % (direction, CLIENT))
                if copy is not None:
                    return copy
        return stanza.xml

    def read(self, element):
        """The members of a message, or of what was encrypted."""
        members = {"text": element.findtext(CLIENT + "body")}
        for name, member in (
                ("{urn:xmpp:message-correct:0}replace", "replaces"),
                ("{urn:xmpp:reply:0}reply", "replies-to"),
                ("{urn:xmpp:reactions:0}reactions", "reacts-to")):
            found = element.find(name)
            if found is not None:
                members[member] = found.get("id")
        reactions = element.find("{urn:xmpp:reactions:0}reactions")
        if reactions is not None:
            members["reactions"] = [each.text for each in reactions]
        return members

    async def open(self, message, members):
        """Decrypts the newest version that has a key for this device."""
        manager = await self.encryption.get_session_manager()
        sender = self.author(message)
        for version, namespace in self.namespaces.items():
            element = message.find("{%s}encrypted" % namespace)
            if element is None:
                continue
            members["version"] = version
            sealed = (
                twomemo.etree.parse_message(element, sender) if version == "2" else
                await oldmemo.etree.parse_message(element, sender, self.boundjid.bare, manager))
            try:
                plain, device, _ = await manager.decrypt(sealed)
            except MessageNotForUs:
                continue
            members["device"] = device.device_id
            if plain is not None:
                members |= (
                    self.unpack(plain, sender) if version == "2" else {"text": plain.decode()})
            return
        raise ValueError("no key for this device")

    def author(self, message):
        """The account of whoever wrote a message, also in a room."""
        sender = slixmpp.JID(message.get("from"))
        if message.get("type") != "groupchat":
            return sender.bare
        return slixmpp.JID(
            self["xep_0045"].get_jid_property(sender.bare, sender.resource, "jid")).bare

    def unpack(self, plain, sender):
        envelope = ElementTree.fromstring(plain)
        author = envelope.find(ENVELOPE + "from").get("jid")
        if author != sender:
            raise ValueError("the envelope is from " + author)
        content = envelope.find(ENVELOPE + "content")
        return self.read(content) | {"inside": [each.tag.split("}")[1] for each in content]}


def main():
    jid, password, host, port, ca, path, versions = sys.argv[1:8]
    client = Encrypting(jid, password, path, versions.split(","))
    client.ssl_context = ssl.create_default_context(cafile=ca)
    client.enable_direct_tls = False
    client.connect(host, int(port))
    client.loop.run_until_complete(foreign.commands(client))


if __name__ == "__main__":
    main()
