#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A service of a team's own that Farewell asks to erase: a mailing list and push tokens. Python's standard library alone.

    WEBHOOK_SECRET=whsec_... python3 service.py lists.sqlite 8090          # erases at once
    WEBHOOK_SECRET=whsec_... python3 service.py lists.sqlite 8090 later    # accepts, works, calls back or is asked

It receives three messages, signed by Standard Webhooks: `erase`, `verify`, and `status` if it works later. A lost answer
repeats `erase`: the service deletes the present entries, and missing ones are no error.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sqlite3
import sys
import threading
import time
import urllib.request

TOLERANCE = 300
LARGEST = 64 << 10


class Refusal(Exception):
    def __init__(self, status, word):
        self.status, self.word = status, word


def signature(secret, identifier, timestamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(code).decode()


class Lists:
    """The mailing list and the push tokens."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.lock = threading.RLock()
        self.database.executescript("""
            PRAGMA journal_mode = WAL;
            PRAGMA secure_delete = 1;
            CREATE TABLE IF NOT EXISTS subscribers (person TEXT, list TEXT, email TEXT, PRIMARY KEY (person, list));
            CREATE TABLE IF NOT EXISTS push_tokens (token TEXT PRIMARY KEY, person TEXT NOT NULL);
            CREATE INDEX IF NOT EXISTS push_tokens_person ON push_tokens (person);
            -- Work that was accepted: it is still there when this service comes back.
            CREATE TABLE IF NOT EXISTS work (
                key TEXT PRIMARY KEY, names TEXT, callback TEXT, erased INTEGER, told INTEGER NOT NULL DEFAULT 0);
        """)

    def erase(self, names):
        """How many entries went. Exactly these names: `test` is not `test1`."""
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            erased = 0
            for name in names:
                for table in ("subscribers", "push_tokens"):
                    erased += self.database.execute(f"DELETE FROM {table} WHERE person = ?", (name,)).rowcount
            self.database.execute("COMMIT")
            return erased

    def left(self, names):
        with self.lock:
            return sum(
                self.database.execute(f"SELECT count(*) FROM {table} WHERE person = ?", (name,)).fetchone()[0]
                for name in names for table in ("subscribers", "push_tokens"))


class Service:
    def __init__(self, lists, secret, mode="at once", clock=time.time):
        self.lists, self.secret, self.mode, self.clock = lists, secret, mode, clock
        self.bell = threading.Event()

    # What comes in

    def take(self, headers, body):
        """The status and the reply to a message."""
        self.check(headers, body)
        try:
            message = json.loads(body)
            kind, data = message["type"], message["data"]
            key, names = data["key"], data["names"]
            if not all(isinstance(name, str) and name for name in names):
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise Refusal(400, "malformed") from None
        if kind == "verify":
            return 200, {"left": self.lists.left(names)}
        if kind == "status":
            return self.status(key)
        if kind != "erase":
            raise Refusal(400, "unknown-type")
        if self.mode == "at once":
            return 200, {"erased": self.lists.erase(names)}
        return self.accept(key, names, data.get("callback"))

    def check(self, headers, body):
        identifier, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not timestamp.isdigit() or abs(self.clock() - int(timestamp)) > TOLERANCE:
            raise Refusal(401, "too-old")
        expected = signature(self.secret, identifier, timestamp, body).encode()
        given = headers.get("webhook-signature", "").encode().split(b" ")
        if not any(hmac.compare_digest(expected, each) for each in given):
            raise Refusal(401, "not-signed")

    # Working later

    def accept(self, key, names, callback):
        with self.lists.lock:
            known = self.lists.database.execute("SELECT erased FROM work WHERE key = ?", (key,)).fetchone()
            # Asked for again after it has ended: what has come since goes as well.
            if known and known[0] is not None:
                return 200, {"erased": self.lists.erase(names)}
            if not known:
                self.lists.database.execute(
                    "INSERT INTO work (key, names, callback) VALUES (?, ?, ?)", (key, json.dumps(names), callback))
        self.bell.set()
        return 202, {"after": 1} if callback else {"after": 1, "status": "/status"}

    def status(self, key):
        with self.lists.lock:
            known = self.lists.database.execute("SELECT erased FROM work WHERE key = ?", (key,)).fetchone()
        if not known:
            raise Refusal(404, "unknown")
        return (202, {"after": 1}) if known[0] is None else (200, {"erased": known[0]})

    def work(self):
        """Performs the accepted erasures and reports each until the report is accepted."""
        while True:
            with self.lists.lock:
                open_work = self.lists.database.execute(
                    "SELECT key, names, callback, erased FROM work WHERE NOT told").fetchall()
            for key, names, callback, erased in open_work:
                if erased is None:
                    erased = self.lists.erase(json.loads(names))
                    # The record of a call keeps no name.
                    self.note("erased = ?, names = NULL", erased, key)
                if not callback or self.tell(key, erased, callback):
                    self.note("told = ?", 1, key)
            self.bell.wait(1)
            self.bell.clear()

    def note(self, what, value, key):
        with self.lists.lock:
            self.lists.database.execute(f"UPDATE work SET {what} WHERE key = ?", (value, key))

    def tell(self, key, erased, callback):
        body = json.dumps({"type": "erased", "data": {"key": key, "erased": erased}}).encode()
        identifier = "msg_" + hashlib.sha256(key.encode()).hexdigest()[:32]
        timestamp = str(int(self.clock()))
        request = urllib.request.Request(callback, body, {
            "content-type": "application/json", "webhook-id": identifier, "webhook-timestamp": timestamp,
            "webhook-signature": signature(self.secret, identifier, timestamp, body)})
        try:
            with urllib.request.urlopen(request, timeout=10):
                return True
        except OSError:
            return False


def front(service):
    class Front(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16

        def do_POST(self):
            length = int(self.headers.get("content-length") or 0)
            if length > LARGEST:
                self.close_connection = True
                return self.answer(413, {"error": "too-large"})
            body = self.rfile.read(length)
            try:
                self.answer(*service.take(self.headers, body))
            except Refusal as refusal:
                self.answer(refusal.status, {"error": refusal.word})

        def answer(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            # Messages contain names of users: nothing is logged.
            pass

    return Front


def serve(service, port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), front(service))
    server.daemon_threads = True
    threading.Thread(target=service.work, daemon=True).start()
    return server


if __name__ == "__main__":
    path, port, *rest = sys.argv[1:]
    serve(Service(Lists(path), os.environ["WEBHOOK_SECRET"], *rest), int(port)).serve_forever()
