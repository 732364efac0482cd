# SPDX-License-Identifier: GPL-3.0-or-later
"""The other side of a chat on Delta Chat, played by deltachat-rpc-client."""
import os
import sys
import threading
import time

from deltachat_rpc_client import DeltaChat, Rpc


class DeltaChatPeer:
    """Ben, who notes the events of his account. Methods return when the core has done their work."""

    def __init__(self, server, folder: str, user: str = "ben"):
        self.me = f"{user}@example.test"
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        self.rpc = Rpc(accounts_dir=folder, rpc_server_path=os.path.join(
            os.path.dirname(sys.executable), "deltachat-rpc-server"))
        self.rpc.start()
        self.account = DeltaChat(self.rpc).add_account()
        self.account.add_or_update_transport({
            "addr": self.me, "password": "secret", "imapServer": "127.0.0.1", "smtpServer": "127.0.0.1",
            "imapPort": server.imap, "smtpPort": server.smtp, "imapSecurity": "plain",
            "smtpSecurity": "plain"})
        self.account.set_config("displayname", user.capitalize())
        self.changed = threading.Condition()
        self.messages: dict[int, dict] = {}
        threading.Thread(target=self.follow, daemon=True).start()
        self.account.bring_online()

    def follow(self) -> None:
        while True:
            event = self.account.wait_for_event()
            with self.changed:
                self.changed.notify_all()

    def all(self, chat=None) -> list:
        """All messages, the oldest first."""
        ids = [id for each in ([chat] if chat else self.account.get_chatlist())
               for id in self.rpc.get_message_ids(self.account.id, each.id, False, False)]
        found = self.rpc.get_messages(self.account.id, sorted(ids))
        return [found[str(id)] for id in sorted(ids) if found[str(id)]["kind"] == "message"]

    def wait(self, condition, seconds: float = 60):
        """Waits until a condition is true, which is tried after each event."""
        end = time.monotonic() + seconds
        while not (found := condition()) and time.monotonic() < end:
            with self.changed:
                self.changed.wait(0.5)
        return found

    def message(self, text: str, seconds: float = 60):
        return self.wait(lambda: next((each for each in self.all() if each["text"] == text), None), seconds)

    def about(self, message: dict):
        return self.account.get_message_by_id(message["id"])
