# SPDX-License-Identifier: Apache-2.0
"""Tests the Edge Functions of deploy/supabase between an app and a server that misbehaves.

    python Interop/edge_function.py

Deno checks their types, form and style, and runs them as the platform does. Every check is one line; the first that fails
ends the program with status 1.
"""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "deploy" / "supabase" / "functions"
BESIDE = pathlib.Path(sys.executable).parent / "deno"
DENO = str(BESIDE) if BESIDE.exists() else shutil.which("deno")
CACHE = tempfile.mkdtemp()
QUIET = {**os.environ, "DENO_DIR": CACHE, "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
TOKEN = "header.canary-of-the-token.signature"


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what!r}")
        sys.exit(1)


class Upstream(http.server.BaseHTTPRequestHandler):
    """Returns scripted answers; records the requests."""

    protocol_version = "HTTP/1.1"
    plan, seen, open = [], [], threading.Event()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        Upstream.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        status, fields, text = Upstream.plan.pop(0) if Upstream.plan else (500, {}, "")
        if status == "hang":
            Upstream.open.wait(120)
        if status in ("hang", "drop"):
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in {"content-type": "application/json", **fields}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        Upstream.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, b""))
        self.send_error(500)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Function:
    """One function, run as the platform does."""

    def __init__(self, name, **environment):
        self.process = subprocess.Popen(
            [DENO, "run", "--no-remote", "--no-prompt", "--allow-net", "--allow-env", str(FOLDER / name / "index.ts")],
            env={**QUIET, "DENO_SERVE_ADDRESS": "tcp:127.0.0.1:0", **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        self.said = ""
        while not (match := re.search(r"http://127\.0\.0\.1:(\d+)", self.said)):
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"{name} did not start: {self.said}")
            self.said += line
        self.port, self.path = int(match[1]), f"/{name}"

    def ask(self, method="POST", body=None, token=TOKEN, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        given = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request(method, self.path + "?user_id=other", body, {**given, **fields})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, json.loads(text) if text else None

    def stop(self):
        self.process.terminate()
        self.said += self.process.stdout.read()
        self.process.wait()
        return self.said


@contextlib.contextmanager
def running(name, **environment):
    function = Function(name, **environment)
    try:
        yield function
    finally:
        said = function.stop()
    check(f"{name}: its log holds no token", "canary" not in said, said)


def deno(*words):
    done = subprocess.run([DENO, *words], env=QUIET, cwd=FOLDER, capture_output=True, text=True, check=False)
    check(f"deno {words[0]}", done.returncode == 0, done.stderr)


def is_warm(answer, status, code):
    error = (answer[2] or {}).get("error", {})
    return (
        answer[0] == status and error.get("code") == code and len(error.get("message", "")) > 20
        and answer[1].get("access-control-allow-origin") == "*" and answer[1].get("cache-control") == "no-store"
    )


def browser(function):
    status, fields, _ = function.ask("OPTIONS", token=None, Origin="https://app.example")
    allowed = fields.get("access-control-allow-headers", "")
    wanted = ["authorization", "apikey", "content-type", "x-client-info", "idempotency-key"]
    check("preflight", status in (200, 204) and all(name in allowed for name in wanted), fields)
    check("… allows the method", "POST" in fields.get("access-control-allow-methods", ""), fields)
    check("… any page may call", fields.get("access-control-allow-origin") == "*", fields)
    check("another method", is_warm(function.ask("GET"), 405, "method_not_allowed"))
    answer = function.ask(token=None)
    check("without a token", is_warm(answer, 401, "no_authorization") and answer[1].get("www-authenticate") == "Bearer", answer)
    check("the server was not asked", Upstream.seen == [], Upstream.seen)


def passing(function, name):
    Upstream.seen.clear()
    Upstream.plan = [(200, {"x-request-id": "r1", "set-cookie": "a=b"}, '{"data":{"success":true}}')]
    more = {"Idempotency-Key": "k", "X-Farewell-Step-Up": "p", "apikey": "public", "Cookie": "c=1", "Content-Type": "text/plain"}
    answer = function.ask(body='{"user_id":"other"}', **more)
    check(f"{name}: success", answer[0] == 200 and answer[2] == {"data": {"success": True}}, answer)
    check("… readable by a page", answer[1].get("access-control-allow-origin") == "*", answer)
    check("… without the server's cookies", "set-cookie" not in answer[1] and answer[1].get("x-request-id") == "r1", answer)
    (path, fields, body), = Upstream.seen
    check("… at the same route", path == f"/functions/v1/{name}", path)
    check("… with the user's token", fields.get("authorization") == f"Bearer {TOKEN}", fields)
    check("… and their keys", fields.get("idempotency-key") == "k" and fields.get("x-farewell-step-up") == "p", fields)
    check("… and nothing else", not {"apikey", "cookie"} & set(fields) and body == b"", (fields, body))
    for status in (202, 401, 403, 409, 422, 429, 500, 503):
        text = json.dumps({"data": {"state": "grace"}} if status == 202 else {"error": {"code": f"c{status}", "message": "m"}})
        Upstream.plan = [(status, {"retry-after": "7", "www-authenticate": "Bearer x"}, text)]
        answer = function.ask()
        check(f"status {status} is the server's", answer[0] == status and answer[2] == json.loads(text), answer)
        check("… with what to do", answer[1].get("retry-after") == "7" and answer[1].get("www-authenticate") == "Bearer x", answer)


def misbehaving(function):
    page = "<html>Bad gateway</html>"
    for status, fields, text in [
        (502, {"content-type": "text/html"}, page), (200, {"content-type": "text/html"}, page), (200, {}, "[]"), (200, {}, "null"),
        (200, {}, ""), (404, {}, '{"message":"no Route matched"}'),
    ]:
        Upstream.plan = [(status, fields, text)]
        answer = function.ask()
        check(f"what is no answer of the server ({status} {text[:9]!r})", is_warm(answer, 502, "bad_gateway"), answer)
    Upstream.seen.clear()
    Upstream.plan = [(307, {"location": "/elsewhere"}, "")] * 2
    answer = function.ask()
    check("a redirect is not followed", is_warm(answer, 502, "bad_gateway") and len(Upstream.seen) == 1, (answer, Upstream.seen))
    Upstream.seen.clear()
    Upstream.plan = [("drop", {}, ""), (200, {}, '{"data":{"success":true}}')]
    answer = function.ask()
    check("a connection that breaks is tried again", answer[0] == 200 and len(Upstream.seen) == 2, answer)
    Upstream.plan = [("drop", {}, "")] * 9
    answer = function.ask()
    check("… but not for ever", is_warm(answer, 503, "unreachable") and answer[1].get("retry-after") == "5", answer)


def waiting(function):
    Upstream.plan = [("hang", {}, "")]
    answer = function.ask()
    check("a server that is silent", is_warm(answer, 504, "request_timeout"), answer)
    Upstream.open.set()


def main():
    check("Deno is there; make test installs it", DENO is not None)
    deno("fmt", "--check", "--line-width", "120", ".")
    deno("lint", ".")
    deno("check", "--no-remote", "delete-account/index.ts", "delete-user/index.ts")
    upstream = Server(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{upstream.server_port}"
    with running("delete-account", FAREWELL_URL=url + "/", FAREWELL_TIMEOUT_MS="60000") as function:
        browser(function)
        passing(function, "delete-account")
        misbehaving(function)
    with running("delete-account", FAREWELL_URL=url, FAREWELL_TIMEOUT_MS="1500") as function:
        waiting(function)
    with running("delete-user", FAREWELL_URL=url) as function:
        passing(function, "delete-user")
    with running("delete-user", FAREWELL_URL="http://127.0.0.1:9") as function:
        check("a server that is not there", is_warm(function.ask(), 503, "unreachable"))
    with running("delete-account", FAREWELL_URL="farewell.example.org") as function:
        check("an address that is none", is_warm(function.ask(), 500, "not_set_up"))
    shutil.rmtree(CACHE, ignore_errors=True)


main()
