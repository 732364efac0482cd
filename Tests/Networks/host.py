# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for hobnob: runs a network's program, keeps its account in SQLite, checks its lines."""
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
import uuid

SCHEMA = """
CREATE TABLE IF NOT EXISTS message (place, id, who, text, uid, state, reply, files, past, gone DEFAULT 0,
  PRIMARY KEY (place, id));
CREATE TABLE IF NOT EXISTS outbox (entry INTEGER PRIMARY KEY AUTOINCREMENT, uid, place, line, tried DEFAULT 0);
CREATE TABLE IF NOT EXISTS mark (archive PRIMARY KEY, mark);
CREATE TABLE IF NOT EXISTS kept (name PRIMARY KEY, value);
CREATE TABLE IF NOT EXISTS reaction (place, id, who, emoji, PRIMARY KEY (place, id, who, emoji));
CREATE TABLE IF NOT EXISTS room (room PRIMARY KEY, name);
CREATE TABLE IF NOT EXISTS receipt (place, id, who, state);
CREATE TABLE IF NOT EXISTS part (id PRIMARY KEY);
"""
LONGEST_LINE = 1 << 20


class Host:
    """One account. `lines` has what the program wrote since the last start, for tests to look at."""

    def __init__(self, program: list[str], account: str, secret: str, settings: dict, folder: str):
        self.program, self.account, self.secret, self.settings = program, account, secret, settings
        self.folder = os.path.join(folder, "program")
        os.makedirs(self.folder, exist_ok=True)
        self.database = sqlite3.connect(
            os.path.join(folder, "host.sqlite"), isolation_level=None, check_same_thread=False)
        self.database.executescript(SCHEMA)
        self.lock = threading.RLock()
        self.problems: list[str] = []
        self.lines: list[dict] = []
        self.process = None

    # The program's life.

    def start(self, seconds: float = 60) -> float:
        """Starts the program; returns the seconds until it was logged in."""
        self.given: set[int] = set()
        self.lines, self.batch = [], None
        self.up, self.down = threading.Event(), None
        begun = time.monotonic()
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                self.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                cwd=self.folder, start_new_session=True)
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()
        self.up.wait(seconds)
        if not self.up.is_set():
            raise AssertionError(f"not logged in after {seconds} s: {self.down}")
        self.deliver()
        return time.monotonic() - begun

    def kill(self) -> None:
        """Kills the program, and only it: what it has started must notice for itself."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join(5)

    def stop(self) -> float:
        """Ends the program as hobnob does; returns the seconds it took."""
        begun = time.monotonic()
        self.tell({"type": "stop"})
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.problems.append("still running 5 s after the end of its input")
            self.kill()
        self.reader.join(5)
        return time.monotonic() - begun

    def tell(self, line: dict) -> None:
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    # What the program writes.

    def read(self, process) -> None:
        for text in process.stdout:
            if len(text) > LONGEST_LINE:
                self.problems.append("a line over 1 MiB")
            if not text.endswith(b"\n"):
                continue  # killed while writing
            try:
                line = json.loads(text)
                type = line["type"]
            except (ValueError, KeyError, TypeError):
                self.problems.append(f"no line of the protocol: {text[:80]!r}")
                continue
            if type == "hello":
                self.hello = line
                self.tell(self.start_line())
            elif type == "begin":
                if self.batch is not None:
                    self.problems.append("begin within a batch")
                self.batch = []
            elif type == "commit":
                self.store(self.batch)
                self.batch = None
                self.tell({"type": "stored", "batch": line.get("batch", 0)})
            elif self.batch is not None:
                self.batch.append(line)
            else:
                self.store([line])
        self.up.set() if self.down is None and self.up.is_set() else None

    def start_line(self) -> dict:
        def pairs(table: str) -> dict:
            return dict(self.database.execute(f"SELECT * FROM {table}").fetchall())
        with self.lock:
            kind = self.account.partition(":")[0]
            line = {
                "type": "start", "version": 1, "account": self.account,
                "address": self.account[len(kind) + 1:], "secret": self.secret,
                "settings": self.settings, "kept": pairs("kept"), "marks": pairs("mark"),
                "rooms": [{"room": room} for room in pairs("room")], "folder": self.folder,
                "hobnob": "0.2.0"}
        return {name: value for name, value in line.items() if value != ""}

    def store(self, lines: list[dict]) -> None:
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            for line in lines:
                try:
                    self.apply(line)
                except (KeyError, TypeError) as error:
                    self.problems.append(f"{error!r} in {line}")
            self.database.execute("COMMIT")
            self.lines += lines
        if any(line["type"] in ("sent", "failed") for line in lines):
            self.deliver()

    def apply(self, line: dict) -> None:
        run, type = self.database.execute, line["type"]
        place = json.dumps(line.get("conversation"))
        who = "me" if line.get("mine") else line.get("sender")
        if type == "up":
            self.up.set()
        elif type == "down":
            self.down = line
        elif type == "keep":
            run("REPLACE INTO kept VALUES (?, ?)", (line["name"], line["value"]))
            run("DELETE FROM kept WHERE value = ''")
        elif type == "mark":
            run("REPLACE INTO mark VALUES (?, ?)", (line.get("archive", ""), line["mark"]))
        elif type == "room":
            run("REPLACE INTO room VALUES (?, ?)", (line["room"], line.get("name")))
        elif type == "message":
            self.apply_message(line, place, who)
        elif type == "edited":
            run("UPDATE message SET text = ? WHERE place = ? AND id = ? AND who = ?",
                (line["text"], place, line["id"], who))
        elif type == "deleted":
            run("UPDATE message SET gone = 1 WHERE place = ? AND id = ?", (place, line["id"]))
        elif type == "reaction":
            self.apply_reaction(line, place, who)
        elif type == "receipt":
            for id in line.get("ids", [line.get("id")]):
                run("INSERT INTO receipt VALUES (?, ?, ?, ?)", (place, id, who, line["state"]))
        elif type == "part":
            run("INSERT OR IGNORE INTO part VALUES (?)", (line["id"],))
        elif type in ("sent", "failed"):
            self.apply_answer(line)

    def apply_message(self, line: dict, place: str, who: str) -> None:
        run, uid = self.database.execute, line.get("uid")
        if who is None:
            raise KeyError("sender")
        if who == "me" and uid and run(
                "UPDATE OR IGNORE message SET id = ?, state = 'sent' WHERE place = ? AND uid = ?",
                (line["id"], place, uid)).rowcount:
            return
        if run("SELECT 1 FROM part WHERE id = ?", (line["id"],)).fetchone():
            return
        files = []
        for file in line.get("files", []):
            if not file["path"].startswith(self.folder + "/"):
                self.problems.append(f"a file outside the folder: {file['path']}")
            with open(file["path"], "rb") as data:
                files.append((file.get("name"), data.read().decode("latin-1")))
        run("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, 0)", (
            place, line["id"], who, line["text"], uid, (line.get("reply_to") or {}).get("id"),
            json.dumps(files) if files else None, bool(line.get("past"))))

    def apply_reaction(self, line: dict, place: str, who: str) -> None:
        run, key = self.database.execute, (place, line["id"], who)
        if "all" in line:
            run("DELETE FROM reaction WHERE place = ? AND id = ? AND who = ?", key)
            for emoji in line["all"]:
                run("INSERT OR IGNORE INTO reaction VALUES (?, ?, ?, ?)", (*key, emoji))
        elif line.get("removed"):
            run("DELETE FROM reaction WHERE place = ? AND id = ? AND who = ? AND emoji = ?",
                (*key, line["emoji"]))
        else:
            run("INSERT OR IGNORE INTO reaction VALUES (?, ?, ?, ?)", (*key, line["emoji"]))

    def apply_answer(self, line: dict) -> None:
        run = self.database.execute
        row = run("SELECT uid, place, line FROM outbox WHERE entry = ?", (line["entry"],)).fetchone()
        if row is None:
            return
        run("DELETE FROM outbox WHERE entry = ?", (line["entry"],))
        if json.loads(row[2])["type"] == "send":
            run("UPDATE OR IGNORE message SET state = ?, id = coalesce(?, id) WHERE place = ? AND uid = ?",
                (line["type"], line.get("id"), row[1], row[0]))

    # What the owner does.

    def send(self, place: dict, text: str, **members) -> str:
        """Sends a message; returns its uid."""
        uid, key = uuid.uuid4().hex, json.dumps(place)
        with self.lock:
            self.database.execute(
                "INSERT INTO message (place, id, who, text, uid, state) VALUES (?, ?, 'me', ?, ?, 'sending')",
                (key, uid, text, uid))
        self.put("send", place, uid, text=text, **members)
        return uid

    def change(self, type: str, place: dict, **members) -> None:
        self.put(type, place, uuid.uuid4().hex, **members)

    def put(self, type: str, place: dict, uid: str, **members) -> None:
        line = {"type": type, "uid": uid, "conversation": place, **members}
        with self.lock:
            self.database.execute("INSERT INTO outbox (uid, place, line) VALUES (?, ?, ?)",
                                  (uid, json.dumps(place), json.dumps(line)))
        self.deliver()

    def deliver(self) -> None:
        """Gives the program what it has room for."""
        if not self.process or not self.up.is_set():
            return
        with self.lock:
            rows = self.database.execute("SELECT entry, line, tried FROM outbox ORDER BY entry").fetchall()
            room = self.hello.get("window", 20) - sum(row[0] in self.given for row in rows)
            for entry, text, tried in rows:
                if entry in self.given or room <= 0:
                    continue
                room -= 1
                self.given.add(entry)
                self.database.execute("UPDATE outbox SET tried = 1 WHERE entry = ?", (entry,))
                self.tell({**json.loads(text), "entry": entry, **({"tried": True} if tried else {})})

    def request(self, verb: str, seconds: float = 20, **members) -> str:
        """Makes a request, and waits for its answer."""
        number = int(time.monotonic() * 1000)
        self.tell({"type": "request", "request": number, "verb": verb, **members})
        answer = self.line("answer", seconds, request=number)
        return answer.get("text", "") if answer else "no answer"

    # What tests ask.

    def line(self, type: str, seconds: float = 10, **members) -> dict | None:
        """Waits for a line of the program with these members."""
        def find():
            return next((each for each in self.lines if each["type"] == type and all(
                each.get(name) == value for name, value in members.items())), None)
        wait_for(find, seconds)
        return find()

    def rows(self, query: str, *values) -> list[tuple]:
        with self.lock:
            return self.database.execute(query, values).fetchall()

    def texts(self, place: dict, who: str | None = None) -> list[str]:
        return [text for text, sender in self.rows(
            "SELECT text, who FROM message WHERE place = ? AND gone = 0 ORDER BY rowid", json.dumps(place))
            if who is None or sender == who]

    def id(self, text: str) -> str | None:
        rows = self.rows("SELECT id FROM message WHERE text = ? AND state <> 'sending'", text)
        return rows[0][0] if rows else None

    def is_sent(self, uid: str) -> bool:
        return self.rows("SELECT state FROM message WHERE uid = ?", uid) == [("sent",)]

    def waiting(self) -> int:
        return self.rows("SELECT count(*) FROM outbox")[0][0]


def wait_for(condition, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
