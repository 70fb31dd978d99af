# SPDX-License-Identifier: Apache-2.0
"""Erases a person by a running Farewell server, and follows the erasure by its events.

    python Interop/follow_erasure.py URL PORT TOKEN

URL    a server, without a path
PORT   the port of RevenueCat in its plan: this program simulates it, with every requested customer
TOKEN  of the person to erase

The customer is deleted only after an event has reported that step. The first check that fails ends
the program with status 1.
"""

import http.client
import http.server
import json
import os
import sys
import threading
import urllib.parse
import uuid

seen = threading.Event()
gone = set()


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what!r}", flush=True)
        os._exit(1)


class Customers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        path = urllib.parse.urlsplit(self.path).path.split("/")
        name = path[5] if len(path) > 5 else None  # /v2/projects/NAME/customers/CUSTOMER
        status, value = 200, {"object": "customer", "id": name}
        if name in gone:
            status, value = 404, {"object": "error", "type": "resource_missing"}
        elif name is None:
            value = {"object": "list", "items": [], "next_page": None}
        elif path[-1] == "aliases":
            value = {"object": "list", "items": [{"object": "customer.alias", "id": name}], "next_page": None}
        elif self.command == "DELETE":
            seen.wait(240)
            gone.add(name)
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_DELETE = answer


def events(response):
    """The events of one stream, each on arrival (the HTML standard, 9.2)."""
    name, data = None, []
    for line in iter(response.readline, b""):
        field, _, value = line.decode().rstrip("\r\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not field and data:
            yield name, json.loads("\n".join(data))
            name, data = None, []


def main(url, port, token):
    system = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Customers)
    threading.Thread(target=system.serve_forever, daemon=True).start()
    server = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=240)
    server.request(
        "POST", "/v1/erasures", headers={"Authorization": f"Bearer {token}", "Idempotency-Key": str(uuid.uuid4())}
    )
    answer = server.getresponse()
    asked = json.loads(answer.read())
    check("the request is accepted: 202", answer.status == 202, asked)
    path = f"/v1/erasures/{asked['id']}"
    check("the answer names the erasure's address", answer.headers["Location"] == path, answer.headers.as_string())

    server.request("GET", path + "/events", headers={"X-Farewell-Ticket": asked["ticket"]})
    stream = server.getresponse()
    kind = stream.headers["Content-Type"] or ""
    check("events: 200, as a stream", stream.status == 200 and kind.startswith("text/event-stream"), (stream.status, kind))
    told = []
    for name, event in events(stream):
        check(f"{name}: {event['state']}", name == "erasure" and event["id"] == asked["id"] and "ticket" not in event, event)
        told.append(event)
        check("no step begins again and again", all(step.get("attempts", 1) < 5 for step in event["steps"]), event)
        at = [step["name"] for step in event["steps"] if step["state"] == "running"]
        if not seen.is_set() and event["state"] == "running" and at == ["system: billing"]:
            check("the system has not answered yet", not gone)
            seen.set()
    check("an event reported the system's step", seen.is_set(), told)
    last = told[-1]
    check("the last event reports the end", last["state"] == "done" and last["receipt"] == path + "/receipt", last)
    check("every step is done", len(last["steps"]) >= 2 and all(s["state"] == "done" for s in last["steps"]), last)
    states = [event["state"] for event in told]
    order = ["requested", "fenced", "running", "verifying", "done"]
    check("no state goes back", states == sorted(states, key=order.index), states)
    check("each event differs from the one before", all(a != b for a, b in zip(told, told[1:])), told)


main(*sys.argv[1:])
