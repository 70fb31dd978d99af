# SPDX-License-Identifier: Apache-2.0
"""The service of Examples/webhook in three ways of working, with people on its lists: it answers at once, it is
polled, it calls back. The reference of Standard Webhooks checks the received messages as well.

Prints one line of JSON: where they are. Ends when its standard input does.

    POST /settle/KIND    removes all people there, adds a person and neighbours
    GET  /census/KIND    everything there is, entry by entry
    POST /callback       keeps the service's reports
    GET  /told?KEY       the report of that key: headers and body. Answers when there is one
    GET  /keys/KIND      the keys of accepted messages. Answers when there is one
    POST /mute/KIND      it reports nothing, until /speak/KIND
    POST /again/KIND     it repeats its last report: whether it was accepted
    POST /stall/KIND     the next message to erase is held, `before` it is taken or `after`, until /release
    GET  /stalled/KIND   comes when it is
    GET  /port           a port without a listener
    GET  /strangers      how many messages the reference did not accept
"""

import base64
import datetime
import http.server
import itertools
import json
import os
import pathlib
import secrets
import sys
import tempfile
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Examples" / "webhook"))
sys.path.insert(0, str(pathlib.Path(__file__).parent / "fakes"))
import service  # noqa: E402
from answer import alike, plain  # noqa: E402
from free_port import free_ports  # noqa: E402
from standardwebhooks.webhooks import Webhook, WebhookVerificationError  # noqa: E402

SECRET = "whsec_" + base64.b64encode(b"canary-webhook" + secrets.token_bytes(18)).decode()
number = itertools.count(1)
told, strangers, judged = [], [], []
folder = tempfile.mkdtemp()
heard = threading.Condition()


class Watched(service.Service):
    """Its clock is that of the messages: tests may run in another year."""

    def __init__(self, *what):
        super().__init__(*what)
        self.asked, self.keys = set(), []
        self.mute = threading.Event()
        self.mute.set()
        self.stall, self.stalled, self.released = None, threading.Event(), threading.Event()

    def take(self, headers, body):
        timestamp = headers.get("webhook-timestamp", "")
        self.clock = lambda: int(timestamp or 0)
        reference = Webhook(SECRET)
        fresh = {"webhook-id": headers.get("webhook-id", ""), "webhook-timestamp": timestamp,
                 "webhook-signature": headers.get("webhook-signature", "")}
        try:
            # The reference signs the same message to the same signature, whatever the time.
            when = datetime.datetime.fromtimestamp(int(timestamp), tz=datetime.timezone.utc)
            expected = reference.sign(msg_id=fresh["webhook-id"], timestamp=when, data=body.decode())
            if expected not in fresh["webhook-signature"].split(" "):
                strangers.append(1)
        except (ValueError, WebhookVerificationError):
            strangers.append(1)
        judged.append(1)
        stall = None
        if b'"erase"' in body:
            stall, self.stall = self.stall, None
        if stall == "before":
            self.hold()
        answer = super().take(headers, body)
        if stall:
            self.hold()
        return answer

    def hold(self):
        """The calling process is killed meanwhile."""
        self.stalled.set()
        self.released.wait()
        raise ConnectionAbortedError

    def status(self, key):
        """Not complete at the first poll, complete at the second."""
        if key not in self.asked:
            self.asked.add(key)
            return 202, {"after": 1}
        with heard:
            heard.wait_for(lambda: service.Service.status(self, key)[0] == 200, timeout=60)
        return service.Service.status(self, key)

    def accept(self, key, names, callback):
        answer = super().accept(key, names, callback)
        with heard:
            self.keys.append(key)
            heard.notify_all()
        return answer

    def tell(self, *what):
        self.mute.wait()
        self.last = what
        return super().tell(*what)

    def note(self, *what):
        super().note(*what)
        with heard:
            heard.notify_all()


services = {
    kind: Watched(service.Lists(f"{folder}/{kind}.sqlite"), SECRET, mode)
    for kind, mode in [("once", "at once"), ("asked", "later"), ("told", "later")]
}


def settle(kind, person=None):
    lists = services[kind].lists
    person = person or f"test{next(number)}"
    with lists.lock:
        for table in ("subscribers", "push_tokens", "work"):
            lists.database.execute(f"DELETE FROM {table}")
        for who in [person, person + "1", "other", "x" + person, *alike(person)]:
            for name in ("news", "offers"):
                lists.database.execute("INSERT INTO subscribers VALUES (?, ?, ?)", (who, name, f"{who}@example.org"))
            lists.database.execute("INSERT INTO push_tokens VALUES (?, ?)", (f"token of {who}", who))
    return [person]


def census(kind):
    lists = services[kind].lists
    with lists.lock:
        found = {}
        for person, name, email in lists.database.execute("SELECT * FROM subscribers"):
            found[f"{person}/{name}"] = email
        for token, person in lists.database.execute("SELECT * FROM push_tokens"):
            found[f"{person}/{token}"] = token
        return {plain(name): value for name, value in found.items()}


class Control(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def serve(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urllib.parse.urlsplit(self.path).path.split("/")
        if path[1] == "settle":
            value = settle(path[2], *map(urllib.parse.unquote, path[3:]))
        elif path[1] == "port":
            [value] = free_ports()
        elif path[1] == "mute":
            services[path[2]].mute.clear()
            value = services[path[2]].keys
        elif path[1] == "speak":
            services[path[2]].mute.set()
            value = {}
        elif path[1] == "stall":
            services[path[2]].stall = body.decode()
            value = True
        elif path[1] == "stalled":
            value = services[path[2]].stalled.wait(timeout=60)
        elif path[1] == "release":
            for watched in services.values():
                watched.released.set()
            value = True
        elif path[1] == "again":
            value = service.Service.tell(services[path[2]], *services[path[2]].last)
        elif path[1] == "keys":
            with heard:
                heard.wait_for(lambda: services[path[2]].keys, timeout=60)
                value = services[path[2]].keys
        elif path[1] == "census":
            value = census(path[2])
        elif path[1] == "told":
            wanted = urllib.parse.unquote(urllib.parse.urlsplit(self.path).query)
            with heard:
                heard.wait_for(lambda: any(wanted in each["body"] for each in told), timeout=60)
                value = [each for each in told if wanted in each["body"]]
        elif path[1] == "strangers":
            value = [len(strangers), len(judged)]
        else:
            with heard:
                told.append({
                    "headers": {k.lower(): v for k, v in self.headers.items()}, "body": body.decode(), "path": self.path})
                heard.notify_all()
            value = {}
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = serve

    def log_message(self, *_):
        pass


facts = {"secret": SECRET}
for kind, watched in services.items():
    settle(kind)
    server = service.serve(watched, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    facts[kind] = f"http://127.0.0.1:{server.server_address[1]}"
control = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Control)
control.daemon_threads = True
threading.Thread(target=control.serve_forever, daemon=True).start()
facts["control"] = f"http://127.0.0.1:{control.server_address[1]}"
print(json.dumps(facts), flush=True)
sys.stdin.read()
os._exit(0)
