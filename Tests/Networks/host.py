# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for hobnob: runs a network's program, keeps its account in SQLite, checks its lines."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import uuid

import table

SCHEMA = """
CREATE TABLE IF NOT EXISTS message (place, id, who, text, uid, state, reply, files, past, kind,
  gone DEFAULT 0, PRIMARY KEY (place, id));
CREATE TABLE IF NOT EXISTS outbox (
  entry INTEGER PRIMARY KEY AUTOINCREMENT, uid, place, line, tried DEFAULT 0);
CREATE TABLE IF NOT EXISTS mark (archive PRIMARY KEY, mark);
CREATE TABLE IF NOT EXISTS kept (name PRIMARY KEY, value);
CREATE TABLE IF NOT EXISTS reaction (place, id, who, emoji, PRIMARY KEY (place, id, who, emoji));
CREATE TABLE IF NOT EXISTS change (place, change, PRIMARY KEY (place, change));
CREATE TABLE IF NOT EXISTS room (room PRIMARY KEY, name);
CREATE TABLE IF NOT EXISTS receipt (place, id, who, state);
CREATE TABLE IF NOT EXISTS part (id PRIMARY KEY);
CREATE TABLE IF NOT EXISTS page (place, start, until);
"""
LONGEST_LINE, MOST_LINES, LONGEST_BATCH, BATCH_TIME = 1 << 20, 10_000, 16 << 20, 60


class Host:
    """One account. `lines` has what the program wrote since the last start, for tests to look at."""

    def __init__(self, program: list[str], account: str, secret: str, settings: dict, folder: str):
        self.program, self.account, self.secret, self.settings = program, account, secret, settings
        self.folder, self.stored_files = folder + "/program", folder + "/stored"
        os.makedirs(self.folder, exist_ok=True)
        os.makedirs(self.stored_files, exist_ok=True)
        self.database = sqlite3.connect(
            os.path.join(folder, "host.sqlite"), isolation_level=None, check_same_thread=False)
        self.database.executescript(SCHEMA)
        self.database.execute("PRAGMA synchronous = OFF")
        self.changed = threading.Condition(threading.RLock())
        self.problems: list[str] = []
        self.lines: list[dict] = []
        self.process = None
        self.answers = {}  # what is said to the program's questions
        self.number = 0

    # The program's life.

    def start(self, seconds: float = 60) -> float:
        """Starts the program; returns the seconds until it was logged in."""
        begun = time.monotonic()
        self.launch()
        if not self.wait(lambda: self.is_up or self.down or self.process.poll() is not None, seconds) \
                or not self.is_up:
            raise AssertionError(f"not logged in after {seconds} s: {self.down}, {self.log()}")
        return time.monotonic() - begun

    def launch(self) -> None:
        self.given: dict[int, str] = {}  # entries without an answer, and their places
        self.requests: set[int] = set()
        self.lines, self.batch, self.hello = [], None, None
        self.is_up, self.down = False, None
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                self.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                cwd=self.folder)
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()

    def log(self) -> str:
        with open(os.path.join(self.folder, "log"), errors="replace") as log:
            return log.read()[-2000:]

    def kill(self) -> None:
        """Kills the program, and only it: what it has started must notice for itself."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join(10)

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
        self.reader.join(10)
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
            if not text.endswith(b"\n"):
                break  # killed while writing
            if len(text) > LONGEST_LINE:
                self.problems.append("a line over 1 MiB")
            try:
                line = json.loads(text)
                found = table.faults(line)
            except ValueError:
                found = [f"no JSON: {text[:80]!r}"]
            self.problems += found
            if not found:
                self.take(line, len(text))

    def take(self, line: dict, bytes: int) -> None:
        type = line["type"]
        if (type == "hello") != (self.hello is None):
            self.problems.append(f"{type} in the wrong place")
        if type == "hello":
            self.hello = line
            self.tell(self.start_line())
        elif type == "begin":
            if self.batch is not None:
                self.problems.append("begin within a batch")
            self.batch, self.batch_bytes, self.batch_begun = [], 0, time.monotonic()
        elif type == "commit":
            if self.batch is None:
                self.problems.append("a batch ends that did not begin")
                return
            if len(self.batch) > MOST_LINES or self.batch_bytes > LONGEST_BATCH:
                self.problems.append(f"a batch of {len(self.batch)} lines, {self.batch_bytes} bytes")
            if time.monotonic() - self.batch_begun > BATCH_TIME:
                self.problems.append("a batch was open for too long")
            self.store(self.batch)
            self.batch = None
            if "batch" in line:
                self.tell({"type": "stored", "batch": line["batch"]})
        elif self.batch is not None and type not in ("up", "down", "status", "ask"):
            self.batch.append(line)
            self.batch_bytes += bytes
        else:
            self.store([line])

    def start_line(self) -> dict:
        def pairs(name: str) -> dict:
            return dict(self.database.execute(f"SELECT * FROM {name}").fetchall())
        with self.changed:
            kind = self.account.partition(":")[0]
            line = {
                "type": "start", "version": 1, "account": self.account,
                "address": self.account[len(kind) + 1:], "secret": self.secret,
                "settings": self.settings, "kept": pairs("kept"), "marks": pairs("mark"),
                "rooms": [{"room": room} for room in pairs("room")], "folder": self.folder}
        return {name: value for name, value in line.items() if value != ""}

    def store(self, lines: list[dict]) -> None:
        with self.changed:
            self.database.execute("BEGIN IMMEDIATE")
            for line in lines:
                self.apply(line)
            self.database.execute("COMMIT")
            self.lines += lines
            self.changed.notify_all()
        if any(line["type"] in ("up", "sent", "failed", "message") for line in lines):
            self.deliver()

    def apply(self, line: dict) -> None:
        run, type = self.database.execute, line["type"]
        place = json.dumps(line.get("conversation"))
        who = "me" if line.get("mine") else line.get("sender")
        if type == "up":
            self.is_up = True
        elif type == "down":
            self.down = line
        elif type == "ask":
            self.tell({"type": "reply", "ask": line["ask"], "text": self.answers[line["ask"]]})
        elif type == "keep":
            run("REPLACE INTO kept VALUES (?, ?)", (line["name"], line["value"]))
            run("DELETE FROM kept WHERE value = ''")
        elif type == "mark":
            run("REPLACE INTO mark VALUES (?, ?)", (line.get("archive", ""), line["mark"]))
        elif type == "room":
            run("REPLACE INTO room VALUES (?, ?)", (line["room"], line.get("name")))
        elif type == "left":
            run("DELETE FROM room WHERE room = ?", (line["room"],))
        elif type == "message":
            self.apply_message(line, place, who)
        elif type in ("edited", "reaction") and not self.is_new(line, place):
            pass
        elif type == "edited":
            run("UPDATE message SET text = ? WHERE place = ? AND id = ? AND who = ?",
                (line["text"], place, line["id"], who))
        elif type == "deleted":
            run("UPDATE message SET gone = 1 WHERE place = ? AND id = ? AND who = ?",
                (place, line["id"], who))
        elif type == "removed":
            run("UPDATE message SET gone = 1 WHERE place = ? AND id = ?", (place, line["id"]))
        elif type == "reaction":
            self.apply_reaction(line, place, who)
        elif type == "receipt":
            for id in line.get("ids", [line.get("id")]):
                run("INSERT INTO receipt VALUES (?, ?, ?, ?)", (place, id, who, line["state"]))
        elif type == "page":
            run("INSERT INTO page VALUES (?, ?, ?)", (place, line.get("from", ""), line.get("until", "")))
        elif type == "part":
            run("INSERT OR IGNORE INTO part VALUES (?)", (line["id"],))
        elif type in ("sent", "failed"):
            self.apply_answer(line)
        elif type in ("answer", "fetched"):
            if line["request"] not in self.requests:
                self.problems.append(f"an answer to nothing: {line}")

    def is_new(self, line: dict, place: str) -> bool:
        return "change" not in line or self.database.execute(
            "INSERT OR IGNORE INTO change VALUES (?, ?)", (place, line["change"])).rowcount > 0

    def apply_message(self, line: dict, place: str, who: str) -> None:
        run, uid, id = self.database.execute, line.get("uid"), line["id"]
        if who == "me" and uid:
            known = run("SELECT id, state FROM message WHERE place = ? AND uid = ?", (place, uid)).fetchone()
            if known:
                return self.note_id(place, uid, id, known)
        if run("SELECT 1 FROM part WHERE id = ?", (id,)).fetchone():
            return
        files = [self.take_file(file) for file in line.get("files", [])]
        run("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?, 0)", (
            place, id, who, line["text"], uid, (line.get("reply_to") or {}).get("id"),
            json.dumps(files) if files else None, bool(line.get("past")), line.get("kind")))

    def take_file(self, file: dict) -> tuple:
        """Copies a file, as hobnob does before it handles the line."""
        if not file["path"].startswith(self.folder + "/") or ".." in file["path"]:
            self.problems.append(f"a file outside the folder: {file['path']}")
        path = os.path.join(self.stored_files, uuid.uuid4().hex)
        try:
            shutil.copyfile(file["path"], path)
        except OSError as error:
            self.problems.append(f"a file that cannot be read: {error}")
        return file.get("name"), path

    def note_id(self, place: str, uid: str, id: str, known: tuple) -> None:
        """The network's id of an own message: from its echo, or the answer to its entry."""
        if known[1] == "sent" and known[0] != id:
            self.problems.append(f"the message {uid} has two ids, {known[0]} and {id}")
        self.database.execute(
            "UPDATE OR IGNORE message SET id = ?, state = 'sent' WHERE place = ? AND uid = ?",
            (id, place, uid))
        for entry, in self.database.execute(
                "SELECT entry FROM outbox WHERE uid = ?", (uid,)).fetchall():
            self.database.execute("DELETE FROM outbox WHERE entry = ?", (entry,))
            self.given.pop(entry, None)

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
        run, entry = self.database.execute, line["entry"]
        place = self.given.pop(entry, None)
        row = run("SELECT uid, place, line FROM outbox WHERE entry = ?", (entry,)).fetchone()
        if row is None:
            return  # its echo came first
        if place is None:
            self.problems.append(f"an answer to an entry that was not given: {line}")
        earlier = [number for number, where in self.given.items() if number < entry and where == place]
        if earlier:
            self.problems.append(f"entries of one conversation are answered out of order: {line} before {earlier}")
        run("DELETE FROM outbox WHERE entry = ?", (entry,))
        if json.loads(row[2])["type"] != "send":
            return
        known = run("SELECT id, state FROM message WHERE place = ? AND uid = ?",
                    (row[1], row[0])).fetchone()
        if line["type"] == "sent":
            self.note_id(row[1], row[0], line["id"], known)
        else:
            run("UPDATE message SET state = ? WHERE place = ? AND uid = ?",
                ("maybe" if line.get("maybe") else "failed", row[1], row[0]))

    # What the owner does.

    def send(self, place: dict, text: str, **members) -> str:
        """Sends a message; returns its uid."""
        uid, key = uuid.uuid4().hex, json.dumps(place)
        with self.changed:
            self.database.execute(
                "INSERT INTO message (place, id, who, text, uid, state)"
                " VALUES (?, ?, 'me', ?, ?, 'sending')", (key, uid, text, uid))
        self.put("send", place, uid, text=text, **members)
        return uid

    def change(self, type: str, place: dict, **members) -> None:
        self.put(type, place, uuid.uuid4().hex, **members)

    def put(self, type: str, place: dict, uid: str, **members) -> None:
        line = {"type": type, "uid": uid, "conversation": place, **members}
        with self.changed:
            self.database.execute("INSERT INTO outbox (uid, place, line) VALUES (?, ?, ?)",
                                  (uid, json.dumps(place), json.dumps(line)))
        self.deliver()

    def deliver(self) -> None:
        """Gives the program what it has room for."""
        with self.changed:
            if not self.process or not self.is_up:
                return
            rows = self.database.execute("SELECT entry, line, tried FROM outbox ORDER BY entry").fetchall()
            for entry, text, tried in rows:
                if entry in self.given or len(self.given) >= self.hello.get("window", 20):
                    continue
                line = json.loads(text)
                self.given[entry] = json.dumps(line["conversation"])
                self.database.execute("UPDATE outbox SET tried = 1 WHERE entry = ?", (entry,))
                self.tell({**line, "entry": entry, **({"tried": True} if tried else {})})

    def request(self, verb: str, seconds: float = 30, **members) -> str:
        """Makes a request, and waits for its answer."""
        self.number += 1
        number = self.number
        self.requests.add(number)
        self.tell({"type": "request", "request": number, "verb": verb, **members})
        answer = self.line("answer", seconds, request=number)
        return answer.get("text", "") if answer else "no answer"

    # What tests ask.

    def wait(self, condition, seconds: float = 30):
        """Waits until a condition is true, which is tried after each line that arrives."""
        end = time.monotonic() + seconds
        with self.changed:
            while not (found := condition()) and time.monotonic() < end:
                self.changed.wait(min(0.5, max(0, end - time.monotonic())))
        return found

    def line(self, type: str, seconds: float = 30, **members) -> dict | None:
        """Waits for a line of the program with these members."""
        return self.wait(lambda: next((each for each in self.lines if each["type"] == type and all(
            each.get(name) == value for name, value in members.items())), None), seconds)

    def rows(self, query: str, *values) -> list[tuple]:
        with self.changed:
            return self.database.execute(query, values).fetchall()

    def texts(self, place: dict, who: str | None = None) -> list[str]:
        return [text for text, sender in self.rows(
            "SELECT text, who FROM message WHERE place = ? AND gone = 0 ORDER BY rowid", json.dumps(place))
            if who is None or sender == who]

    def id(self, text: str, seconds: float = 30) -> str | None:
        """Waits for the network's id of the message with this text."""
        def find():
            rows = self.rows("SELECT id FROM message WHERE text = ? AND state <> 'sending'", text)
            return rows[0][0] if rows else None
        return self.wait(find, seconds)

    def reactions(self, id: str, who: str) -> list[str]:
        return sorted(row[0] for row in self.rows(
            "SELECT emoji FROM reaction WHERE id = ? AND who = ?", id, who))

    def state(self, uid: str) -> str:
        return self.rows("SELECT state FROM message WHERE uid = ?", uid)[0][0]

    def waiting(self) -> int:
        return self.rows("SELECT count(*) FROM outbox")[0][0]
