# SPDX-License-Identifier: Apache-2.0
"""Sends ill-made header fields, cookies, queries and members to every route of a running server, and looks whether it lives on.

    python Interop/hostile_fields.py HOST PORT --key FILE

The server must let anonymous people sign up. Each route is called with everything right but one thing, so that the call
comes as far as that thing is read. Ends with 1 at the first answer that is missing or blames the server (5xx but 501, 503).
"""

import argparse
import http.client
import json
import pathlib
import re
import sys
import urllib.parse
import uuid

FIELDS = [
    "Prefer", "Idempotency-Key", "X-Farewell-Ticket", "X-Farewell-Step-Up", "Last-Event-ID", "Authorization", "apikey",
    "Accept-Language", "Origin", "Cookie", "If-None-Match", "Content-Type", "X-Request-Id", "X-Supabase-Api-Version",
    "X-JWT-AUD", "X-Farewell-Refresh-Nonce", "X-Farewell-Device", "X-Farewell-Platform", "X-Farewell-App-Version",
    "X-Supabase-Client-Platform", "traceparent", "tracestate", "User-Agent", "Sec-Fetch-Site", "Expect", "X-Forwarded-For",
]
MOST = 2**63 - 1
VALUES = [
    "", ";", ",", "=", ";;=,", "=;=,wait=", "wait=;", "wait", f"wait={MOST}", "wait=-1", f"{MOST}", f"{MOST}.x", f"{MOST + 1}",
    f"-{MOST + 1}", "1e999", "nan", ".", "..", "...", ". . .", "Bearer", "Bearer ", "Bearer .", "Bearer ..", "Bearer a.b.c",
    "Basic :", "%", "%zz", "[", "]:1", "[::]:99999", "a:70000", "*;q=9", "de;q=", "-", "--", "\"", "\\", "a=b=c;=;d", "\xe9\xff",
    f"account.{MOST}.x.y", f"console.{MOST}.x.y", f"{MOST}.viewer.a.b.c", "00-" + "0" * 32 + "-" + "0" * 16 + "-01",
    "00-" + "f" * 40, "x" * 4_000,
]
# Some of those, for what every route has: each name of a query, each member of a body.
FEW = ["", ";", f"{MOST}", f"-{MOST + 1}", "1e999", ".", "%00", "\xe9", f"account.{MOST}.x.y"]
MEMBERS = [None, -1, MOST, -MOST - 1, 1e300, "", ".", "\0", "x" * 300, [], {}, [[]], {"": None}, True]
NAMES = ["state", "code", "page", "per_page", "scope", "redirect_to", "grant_type", "filter", "sort", "type", "token_hash", "next"]
PAGES = [
    ("GET", "/account"), ("GET", "/account/delete"), ("GET", "/account/delete/progress"), ("GET", "/account/delete/events"),
    ("GET", "/account/delete/receipt"), ("GET", "/account/delete/receipt.jws"), ("GET", "/account/sign-out"),
    ("POST", "/account/delete"), ("GET", "/account/apple"), ("POST", "/account/apple/check"), ("GET", "/console"),
    ("GET", "/console/events"), ("POST", "/console/sign-in"), ("GET", "/console/openid/check"),
]
COOKIES = ["visit", "session", "ticket", "note", "console"]


class Server:
    def __init__(self, host, port):
        self.host, self.port, self.calls = host, port, 0
        self.connection = None

    def ask(self, method, path, headers, body=None):
        """The status, and the answer's members; ends the program if there is no answer, or a server error."""
        self.calls += 1
        for attempt in (1, 2):
            kept = self.connection is not None
            self.connection = self.connection or http.client.HTTPConnection(self.host, self.port, timeout=120)
            try:
                self.connection.putrequest(method, path, skip_accept_encoding=True)
                for name, value in {**headers, "Content-Length": str(len(body or b""))}.items():
                    self.connection.putheader(name, value.encode("latin-1"))
                self.connection.endheaders(body)
                answer = self.connection.getresponse()
                text = b"" if "event-stream" in answer.getheader("Content-Type", "") else answer.read()
                break
            except (http.client.HTTPException, OSError) as error:
                self.close()
                # A connection that was kept may have been ended meanwhile.
                if not kept or attempt == 2:
                    sys.exit(f"no answer to {method} {path[:200]} {headers!r:.600} {body!r:.200}: {error!r}")
        if not answer.isclosed() or answer.will_close:
            self.close()
        if answer.status >= 500 and answer.status not in (501, 503):
            sys.exit(f"{answer.status} for {method} {path[:200]} {headers!r:.600} {body!r:.200}: {text[:300]!r}")
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def person(self):
        """The token of a user who has just signed up."""
        status, grant = self.ask("POST", "/auth/v1/signup", {"Content-Type": "application/json"}, b'{"data":{}}')
        if status != 200:
            sys.exit(f"no user may sign up: {status} {grant}")
        return grant["access_token"]


def operations(document):
    for path, found in document["paths"].items():
        for method, operation in found.items():
            if method in ("get", "put", "post", "delete", "patch"):
                yield method.upper(), re.sub(r"\{[^}]*\}", str(uuid.UUID(int=1)), path), operation


def schemas(document, schema):
    """The names of a body's members."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    names = list(schema.get("properties", {}))
    for part in schema.get("anyOf", []) + schema.get("oneOf", []) + schema.get("allOf", []):
        names += schemas(document, part)
    return names


def variations(document, operation, turn):
    """The variations of a call: `(query, fields, body)`. Declared fields of a route get every value; of the other
    fields each route gets some, so that together the routes get all."""
    declared = [one["name"].lower() for one in operation.get("parameters", []) if one["in"] == "header"]
    for place, field in enumerate(FIELDS):
        isWhole = field.lower() in declared or field == "Authorization"
        for value in VALUES if isWhole else VALUES[(turn + place) % 9::9]:
            yield "", {field: value}, None
    asked = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
    for name in dict.fromkeys(asked + ([] if operation else NAMES)):
        for value in FEW:
            yield urllib.parse.urlencode({name: value}, encoding="latin-1"), {}, None
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    for name in dict.fromkeys(schemas(document, content.get("schema", {}))):
        for value in MEMBERS:
            yield "", {}, json.dumps({name: value}).encode()
    if not operation:
        for value in VALUES:
            for name in COOKIES:
                yield "", {"Cookie": f"farewell-visit=v; farewell-{name}={value}"}, None
        for name in NAMES + ["id_token", "email", "password", "token", "user"]:
            for value in FEW:
                form = urllib.parse.urlencode({name: value}, encoding="latin-1").encode()
                yield "", {"Content-Type": "application/x-www-form-urlencoded"}, form


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("host")
    arguments.add_argument("port", type=int)
    arguments.add_argument("--key", required=True)
    given = arguments.parse_args()
    key = pathlib.Path(given.key).read_text(encoding="ascii").strip()
    server = Server(given.host, given.port)
    _, document = server.ask("GET", "/openapi.json", {})
    every = list(operations(document)) + [(method, page, {}) for method, page in PAGES]
    for turn, (method, path, operation) in enumerate(every):
        isPerson = any("person" in option for option in operation.get("security", []))
        token = server.person() if isPerson else key
        for query, fields, body in variations(document, operation, turn):
            place = path + (("&" if "?" in path else "?") + query if query else "")
            headers = {
                "Authorization": f"Bearer {token}", "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin",
                "Idempotency-Key": str(uuid.uuid4()), "Cookie": "farewell-visit=v", **fields,
            }
            status, _ = server.ask(method, place, headers, body or b"{}")
            # A user whom a call deletes or signs out is not admitted to the next.
            if isPerson and "Authorization" not in fields and (status == 401 or method != "GET" and status < 300):
                token = server.person()
                if status == 401:
                    server.ask(method, place, {**headers, "Authorization": f"Bearer {token}"}, body or b"{}")
    status, _ = server.ask("GET", "/healthz", {})
    print(f"{server.calls} calls, and it is {'well' if status == 200 else 'not well'}")
    return 0 if status == 200 else 1


sys.exit(main())
