# SPDX-License-Identifier: Apache-2.0
"""Attacks an account from many addresses, and checks that its owner can still sign in.

    python Interop/lock_out.py URL --hook-port PORT

URL          a server at 127.0.0.1 with the default limits for accounts, many calls per address, anonymous
             people and mails; it ends in /auth/v1
--hook-port  where the server posts its mails

Each caller has an address of its own on this machine (127.0.0.2, 127.0.0.3 and so on). Every check is one line; the first that
fails ends the program with status 1.
"""

import argparse
import http.server
import json
import queue
import sys
import threading
import uuid
from urllib.parse import parse_qs, urlsplit

import httpx

import plain_http  # noqa: F401

PASSWORD = "correct horse battery staple"
HOME, ROAMING, ABROAD = 10, 11, 12
ATTACKERS = range(20, 28)
DEVICE = {"X-Farewell-Device-Key": uuid.uuid4().hex}


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what!r}")
        sys.exit(1)


class Hook:
    def __init__(self, port):
        self.mails = queue.Queue()
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                hook.mails.put(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["email_data"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def mail(self):
        return self.mails.get(timeout=120)


class Place:
    def __init__(self, url):
        self.url = url
        self.clients = {}

    def ask(self, host, method, path, **more):
        if host not in self.clients:
            transport = httpx.HTTPTransport(local_address=f"127.0.0.{host}")
            self.clients[host] = httpx.Client(transport=transport, timeout=120)
        return self.clients[host].request(method, self.url + path, **more)

    def sign_in(self, host, email, password=PASSWORD, headers=None):
        json_body = {"email": email, "password": password}
        return self.ask(host, "POST", "/token?grant_type=password", json=json_body, headers=headers).status_code

    def recover(self, host, email):
        return self.ask(host, "POST", "/recover", json={"email": email}).status_code

    def verify(self, host, **members):
        return self.ask(host, "POST", "/verify", json={"type": "recovery"} | members).status_code


def fresh():
    return f"p-{uuid.uuid4().hex}@example.org"


def wrong(code):
    return "000000" if code != "000000" else "000001"


def passwords(place, email):
    tried = [place.sign_in(host, email, "wrong wrong") for host in ATTACKERS for _ in range(15)]
    check("strangers' wrong passwords are checked thirty times, all of them together", tried.count(400) == 30 and tried.count(429) == 90, tried)
    check("… ten times from one address", tried[:15].count(400) == 10, tried[:15])
    check("SRV-03 the owner comes in from their address", place.sign_in(HOME, email) == 200)
    check("SRV-03 … with their device from any other", place.sign_in(ABROAD, email, headers=DEVICE) == 200)
    check("… and from an unknown address not even with the password", place.sign_in(ROAMING, email) == 429)
    nobody = fresh()
    tried = [place.sign_in(host, nobody, "wrong wrong") for host in ATTACKERS for _ in range(15)]
    check("the same for an unknown address", tried.count(400) == 30 and tried.count(429) == 90, tried)


def codes(place, hook, email):
    asked = [place.recover(host, email) for host in ATTACKERS]
    check("strangers ask for three mails", sorted(asked) == [200] * 3 + [429] * 5, asked)
    strangers = [hook.mail() for _ in range(3)]
    check("SRV-03 the owner asks for another", place.recover(HOME, email) == 200)
    mine = hook.mail()
    check("each with digits and a token", all(len(m["token"]) == 6 and len(m["token_hash"]) >= 43 for m in [*strangers, mine]), mine)
    check("… and a link with it", all(m["token_hash"] in m["action_link"] for m in [*strangers, mine]), mine)
    tried = [place.verify(host, email=email, token=wrong(mine["token"])) for host in ATTACKERS for _ in range(12)]
    check("strangers' wrong digits are refused", set(tried) == {403, 429}, set(tried))
    check("… and now the right ones, too", place.verify(ROAMING, email=email, token=mine["token"]) == 403)
    for _ in range(4):
        check("the owner may mistype", place.verify(HOME, email=email, token=wrong(mine["token"])) == 403)
    check("SRV-03 the owner's digits are good for them", place.verify(HOME, email=email, token=mine["token"]) == 200)
    check("… once", place.verify(HOME, email=email, token=mine["token"]) == 403)


def links(place, hook, email):
    check("a code of another device", place.ask(ROAMING, "POST", "/recover", json={"email": email}, headers=DEVICE).status_code == 200)
    link = hook.mail()
    path = f"/verify?type=recovery&token={link['token_hash']}&redirect_to="
    check("a HEAD request uses nothing up", place.ask(ROAMING, "HEAD", path).status_code == 200)
    followed = place.ask(ROAMING, "GET", path + "https://evil.example/")
    target = urlsplit(followed.headers["location"])
    answer = parse_qs(target.fragment)
    check("SRV-03 a link is good anywhere, and leads to the site alone", followed.status_code == 303 and target.netloc == "app.example.org", followed.headers)
    check("… with the session", answer["type"] == ["recovery"] and len(answer["refresh_token"][0]) > 20, answer)
    again = place.ask(ROAMING, "GET", path + "https://app.example.org/in")
    target = urlsplit(again.headers["location"])
    answer = parse_qs(target.fragment)
    check("… once", (target.path, answer["error_code"], answer["error"]) == ("/in", ["otp_expired"], ["access_denied"]), answer)


def taken(place, email):
    answers = []
    for wanted in (email, fresh()):
        session = place.ask(ROAMING, "POST", "/signup", json={}).json()
        answer = place.ask(ROAMING, "PUT", "/user", json={"email": wanted}, headers={"Authorization": f"Bearer {session['access_token']}"})
        user = answer.json()
        answers.append((answer.status_code, sorted(user), user.get("email") == wanted, user.get("is_anonymous"), len(user.get("identities", []))))
    check("SRV-05 an address answers an anonymous session the same, taken or not", answers[0] == answers[1] and answers[0][0] == 200, answers)
    check("… and stays its owner's", place.sign_in(HOME, email) == 200)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--hook-port", type=int, required=True)
    given = parser.parse_args()
    place, hook, email = Place(given.url), Hook(given.hook_port), fresh()
    answer = place.ask(HOME, "POST", "/signup", json={"email": email, "password": PASSWORD}, headers=DEVICE)
    check("the owner signs up", answer.status_code == 200, answer.text)
    passwords(place, email)
    codes(place, hook, email)
    links(place, hook, email)
    taken(place, email)


main()
