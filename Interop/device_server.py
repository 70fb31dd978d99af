# SPDX-License-Identifier: Apache-2.0
"""A server in memory with the routes that a device calls, for tests that kill the device: sign-up, tokens, sign-out by ticket
and erasures, in the shapes of the Supabase Auth contract and of /v1/erasures.

    python Interop/device_server.py

Prints its address. GET /control returns its state: people, living sessions, erasures by key, alarms. POST
/control/deaf loses all answers about erasures, /control/brief gives tokens that live one second, /control/fine ends it.
It ends when its standard input does.
"""

import http.server
import itertools
import json
import os
import sys
import threading
import urllib.parse

LOCK = threading.Lock()
PEOPLE, SESSIONS, ERASURES = {}, {}, {}
TALLY = {"alarms": 0, "refreshes": 0}
MOOD = {"deaf": False, "life": 3600}
NUMBERS = itertools.count(1)


def grant(session):
    number = next(NUMBERS)
    session["access"] = f"access-{number}"
    return {
        "access_token": session["access"], "refresh_token": session["refresh"], "expires_in": MOOD["life"],
        "token_type": "bearer", "sign_out_ticket": session["ticket"],
        "user": {"id": session["user"], "email": "someone@example.org"},
    }


def begin(email):
    PEOPLE.setdefault(email, f"user-{next(NUMBERS)}")
    name = f"session-{next(NUMBERS)}"
    SESSIONS[name] = {
        "id": name, "user": PEOPLE[email], "refresh": f"refresh-{next(NUMBERS)}", "ticket": f"ticket-{name}", "spent": None,
    }
    return SESSIONS[name]


def refresh(token, nonce):
    TALLY["refreshes"] += 1
    for session in list(SESSIONS.values()):
        if session["refresh"] == token:
            session["spent"] = (token, nonce)
            session["refresh"] = f"refresh-{next(NUMBERS)}"
            return session
        if session["spent"] and session["spent"][0] == token:
            if nonce and session["spent"][1] == nonce:
                return session
            TALLY["alarms"] += 1
            del SESSIONS[session["id"]]
    return None


class Device(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, **fields):
        if MOOD["deaf"] and self.path.startswith("/v1/erasures"):
            self.close_connection = True
            return
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def caller(self):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return next((session for session in SESSIONS.values() if session.get("access") == token), None)

    def do_GET(self):
        with LOCK:
            path = urllib.parse.urlparse(self.path).path
            if path == "/control":
                return self.answer(200, {"people": PEOPLE, "sessions": list(SESSIONS), "erasures": list(ERASURES.values()), **TALLY})
            erasure = ERASURES.get(self.headers.get("X-Farewell-Ticket"))
            if path.startswith("/v1/erasures") and erasure:
                return self.answer(200, {"id": erasure["id"], "state": "done"})
            return self.answer(404, {"code": "erasure.not-found", "message": "There is no such erasure."})

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        address = urllib.parse.urlparse(self.path)
        kind = urllib.parse.parse_qs(address.query).get("grant_type", [""])[0]
        with LOCK:
            if address.path.startswith("/control/"):
                moods = {"deaf": {"deaf": True}, "brief": {"life": 1}, "fine": {"deaf": False, "life": 3600}}
                MOOD.update(moods[address.path.removeprefix("/control/")])
                return self.answer(200, MOOD)
            if address.path == "/auth/v1/signup" or kind == "password":
                session = begin(body["email"])
                return self.answer(200, grant(session), sb_auth_session_id=session["id"])
            if kind == "refresh_token":
                session = refresh(body["refresh_token"], self.headers.get("X-Farewell-Refresh-Nonce"))
                if not session:
                    return self.answer(400, {"code": "refresh_token_not_found", "message": "Not Found"})
                return self.answer(200, grant(session), sb_auth_session_id=session["id"])
            if address.path == "/v1/sign-out":
                for name in [name for name, session in SESSIONS.items() if session["ticket"] == body["ticket"]]:
                    del SESSIONS[name]
                return self.answer(200, {})
            if address.path == "/v1/erasures":
                session = self.caller()
                known = ERASURES.get(body["ticket"])
                if not session and not known:
                    return self.answer(403, {"code": "session_not_found", "message": "No session"})
                if not known:
                    known = {"id": f"erasure-{next(NUMBERS)}", "key": self.headers["Idempotency-Key"]}
                    ERASURES[body["ticket"]] = known
                    for email in [email for email, user in PEOPLE.items() if user == session["user"]]:
                        del PEOPLE[email]
                    for name in [name for name, other in SESSIONS.items() if other["user"] == session["user"]]:
                        del SESSIONS[name]
                return self.answer(200, {"id": known["id"], "state": "done", "ticket": body["ticket"]})
        return self.answer(404, {"code": "not_found", "message": "No such path."})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Device)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
