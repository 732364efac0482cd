# SPDX-License-Identifier: GPL-3.0-or-later
"""The other side of a chat on Matrix, played by matrix-nio."""
import asyncio
import os
import threading
import time

import nio


class MatrixPeer:
    """Ben, who has a loop of his own in a thread. Methods wait until the server has answered."""

    def __init__(self, server, folder: str, user: str = "ben", encrypted: bool = False):
        self.me = f"@{user}:{server.name}"
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.changed = threading.Condition()
        self.events: list = []  # of all timelines, decrypted
        self.typing: dict[str, list[str]] = {}
        self.receipts: list = []
        os.makedirs(folder, exist_ok=True)
        self.run(self.begin(server.url, folder, encrypted))

    def run(self, coroutine, seconds: float = 60):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(seconds)

    async def begin(self, url: str, folder: str, encrypted: bool) -> None:
        self.client = nio.AsyncClient(url, self.me, store_path=folder, config=nio.AsyncClientConfig(
            encryption_enabled=encrypted, store_sync_tokens=False))
        answer = await self.client.login("secret")
        assert isinstance(answer, nio.LoginResponse), answer
        self.client.add_event_callback(self.note, nio.Event)
        self.client.add_ephemeral_callback(self.note_passing, (nio.TypingNoticeEvent, nio.ReceiptEvent))
        await self.client.sync(timeout=0, full_state=True)
        self.task = asyncio.create_task(self.client.sync_forever(timeout=10_000))

    async def note(self, room, event) -> None:
        with self.changed:
            self.events.append((room.room_id, event))
            self.changed.notify_all()

    async def note_passing(self, room, event) -> None:
        with self.changed:
            if isinstance(event, nio.TypingNoticeEvent):
                self.typing[room.room_id] = event.users
            else:
                self.receipts += [(each.user_id, each.event_id) for each in event.receipts]
            self.changed.notify_all()

    def wait(self, condition, seconds: float = 30):
        end = time.monotonic() + seconds
        while not (found := condition()) and time.monotonic() < end:
            with self.changed:
                self.changed.wait(0.1)
        return found

    def event(self, seconds: float = 30, **content):
        """Waits for an event whose content has these members."""
        def find():
            return next((event for _, event in self.events if all(
                event.source.get("content", {}).get(name) == value
                for name, value in content.items())), None)
        return self.wait(find, seconds)

    def bodies(self, room: str, sender: str) -> list[str]:
        """What the server has of a sender, the oldest first: not what the sync has shown."""
        async def read():
            events, token = [], None
            while True:
                page = await self.client.room_messages(room, token, limit=500)
                events += page.chunk
                token = page.end
                if not token or not page.chunk:
                    return events
        return [each.source["content"]["body"] for each in reversed(self.run(read()))
                if each.sender == sender and "body" in each.source.get("content", {})]

    # What ben does.

    def make_room(self, name: str | None, invite: list[str], direct=False, encrypted=False) -> str:
        state = [{"type": "m.room.encryption", "state_key": "",
                  "content": {"algorithm": "m.megolm.v1.aes-sha2"}}] if encrypted else []
        made = self.run(self.client.room_create(
            name=name, invite=invite, is_direct=direct, initial_state=state,
            preset=nio.RoomPreset.private_chat))
        self.wait_for_room(made.room_id)
        return made.room_id

    def wait_for_room(self, room: str) -> None:
        async def wait():
            while room not in self.client.rooms:
                await self.client.synced.wait()
        self.run(wait())

    def put(self, room: str, content: dict, type: str = "m.room.message") -> str:
        sent = self.run(self.client.room_send(room, type, content, ignore_unverified_devices=True))
        return sent.event_id

    def say(self, room: str, text: str, answered: str | None = None) -> str:
        relation = {"m.relates_to": {"m.in_reply_to": {"event_id": answered}}} if answered else {}
        return self.put(room, {"msgtype": "m.text", "body": text, **relation})

    def edit(self, room: str, id: str, text: str) -> str:
        return self.put(room, {"msgtype": "m.text", "body": "* " + text, "m.new_content": {
            "msgtype": "m.text", "body": text}, "m.relates_to": {"rel_type": "m.replace", "event_id": id}})

    def react(self, room: str, id: str, emoji: str) -> str:
        return self.put(room, {"m.relates_to": {
            "rel_type": "m.annotation", "event_id": id, "key": emoji}}, "m.reaction")

    def redact(self, room: str, id: str) -> None:
        self.run(self.client.room_redact(room, id))

    def send_file(self, room: str, name: str, data: bytes) -> str:
        async def upload():
            sent, _ = await self.client.upload(lambda *_: data, "text/plain", name, filesize=len(data))
            return sent.content_uri
        return self.put(room, {"msgtype": "m.file", "body": name, "filename": name,
                               "url": self.run(upload()), "info": {
                                   "mimetype": "text/plain", "size": len(data)}})

    def file(self, url: str) -> bytes:
        return self.run(self.client.download(url)).body

    def type(self, room: str, active: bool) -> None:
        self.run(self.client.room_typing(room, active))

    def see(self, room: str, id: str) -> None:
        self.run(self.client.room_read_markers(room, id, id))

    def join(self, room: str) -> None:
        self.run(self.client.join(room))
        self.wait_for_room(room)

    def stop(self) -> None:
        async def end():
            self.task.cancel()
            await self.client.close()
        self.run(end())
        self.loop.call_soon_threadsafe(self.loop.stop)
