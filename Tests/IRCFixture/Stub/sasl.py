# SPDX-License-Identifier: GPL-3.0-or-later
"""Logging in by SASL."""
import base64
import hashlib
import hmac
import os

from world import stub


class SASL:
    """AUTHENTICATE, of a connection."""

    def do_authenticate(self, params, client, text):
        data, step = params[0], self.sasl
        if data == "*":
            self.sasl = None
            return self.send("906", "SASL authentication aborted")
        if step is None:
            if self.account:
                self.wrong("a second login", text)
                return self.send("907", "You have already authenticated using SASL")
            if data.upper() not in stub.mechanisms or data == "EXTERNAL" and not self.is_secure:
                self.wrong("a mechanism that is not offered", text)
                self.send("908", ",".join(stub.mechanisms), "are available SASL mechanisms")
                return self.send("904", "SASL authentication failed")
            if data.upper() == "PLAIN" and not self.is_secure:
                self.wrong("a password in plain text")
            self.sasl = {"mechanism": data.upper(), "data": "", "step": 0}
            return self.send("AUTHENTICATE", "+")
        if len(data) > 400:
            self.wrong("more than 400 bytes of SASL", text)
            self.sasl = None
            return self.send("905", "SASL message too long")
        if data != "+":
            step["data"] += data
            if len(data) == 400:
                return
        try:
            words = base64.b64decode(step["data"], validate=True)
            step["data"] = ""
            account = getattr(self, "sasl_" + step["mechanism"].split("-")[0].lower())(words)
        except (ValueError, KeyError, IndexError) as error:
            self.wrong("SASL that cannot be read: %r" % error, text)
            account = ""
        if account is None:
            return
        self.sasl = None
        if not account:
            return self.send("904", "SASL authentication failed")
        self.account = account
        if self.user:
            self.user.account = account
            for connection in self.user.watchers():
                if "account-notify" in connection.enabled and connection is not self:
                    connection.send("ACCOUNT", account, source=self.user.mask)
        self.send("900", self.user.mask if self.user else "%s!*@*" % (self.nick or "*"), account,
                  "You are now logged in as " + account)
        self.send("903", "SASL authentication successful")

    def sasl_plain(self, words):
        identity, account, password = words.decode().split("\0")
        return account if identity in ("", account) and (
            stub.people.get(account) == password) else ""

    def sasl_external(self, words):
        certificate = self.transport.get_extra_info("peercert") or {}
        names = [v for part in certificate.get("subject", ()) for k, v in part if k == "commonName"]
        account = words.decode() or (names or [""])[0]
        return account if account in names and account in stub.people else ""

    def sasl_scram(self, words):
        step, text = self.sasl, words.decode()
        step["step"] += 1
        if step["step"] == 1:
            flag, _, bare = text.split(",", 2)
            if flag not in ("n", "y"):
                raise ValueError("channel binding")
            fields = dict(f.split("=", 1) for f in bare.split(","))
            step["account"] = fields["n"].replace("=2C", ",").replace("=3D", "=")
            step["nonce"] = fields["r"] + base64.b64encode(os.urandom(12)).decode()
            step["salt"], step["gs2"], step["bare"] = os.urandom(16), text[:-len(bare)], bare
            step["first"] = "r=%s,s=%s,i=4096" % (
                step["nonce"], base64.b64encode(step["salt"]).decode())
            self.sasl_send(step["first"])
            return None
        if step["step"] == 2:
            fields = dict(f.split("=", 1) for f in text.split(","))
            if fields["r"] != step["nonce"] or base64.b64decode(fields["c"]).decode() != step["gs2"]:
                raise ValueError("nonce or binding")
            password = stub.people.get(step["account"], os.urandom(8).hex()).encode()
            salted = hashlib.pbkdf2_hmac("sha256", password, step["salt"], 4096)
            signed = ",".join((step["bare"], step["first"], text.rpartition(",p=")[0])).encode()

            def mac(key, data):
                return hmac.new(key, data, "sha256").digest()

            key = mac(salted, b"Client Key")
            signature = mac(hashlib.sha256(key).digest(), signed)
            proof = bytes(a ^ b for a, b in zip(key, signature))
            if base64.b64decode(fields["p"]) != proof:
                return ""
            server = mac(mac(salted, b"Server Key"), signed)
            if stub.liesInSCRAM:
                server = bytes(32)
            self.sasl_send("v=" + base64.b64encode(server).decode())
            return None
        if text:
            raise ValueError("text behind the end")
        return step["account"]

    def sasl_send(self, text):
        data = base64.b64encode(text.encode()).decode()
        for start in range(0, len(data), 400):
            self.send("AUTHENTICATE", data[start:start + 400])
        if len(data) % 400 == 0:
            self.send("AUTHENTICATE", "+")
