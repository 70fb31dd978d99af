# SPDX-License-Identifier: Apache-2.0
"""Plays Apple for a running Farewell server, and signs in with identity tokens that another library makes.

    python Interop/sign_in_with_apple.py make-key FILE        writes the key of an app's operator (.p8)
    python Interop/sign_in_with_apple.py run URL PORT FILE    is Apple on PORT: /keys and /token; signs in at URL
    python Interop/sign_in_with_apple.py notify URL PORT      is Apple on PORT; signs in at URL, a server without a path,
                                                              and notifies it of a withdrawn consent
    python Interop/sign_in_with_apple.py join URL PORT        is Apple on PORT; signs a user up at URL, as the app does
    python Interop/sign_in_with_apple.py page URL PORT        is Apple on PORT; signs them in at the page of URL, for deletion,
                                                              and no other user

The first check that fails ends it with status 1.
"""

import hashlib
import http.server
import json
import os
import re
import sys
import threading
import time
import urllib.parse
import uuid

import httpx
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthError

import plain_http  # noqa: F401
from patience import eventually

CLIENT = "org.example.app"
ISSUER = "https://appleid.apple.com"
apple = rsa.generate_private_key(public_exponent=65537, key_size=2048)
other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
exchanged = []


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what!r}")
        sys.exit(1)


class Apple(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(apple.public_key()))
        self.answer({"keys": [{**key, "kid": "apple-1", "alg": "RS256", "use": "sig"}]})

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        exchanged.append({name: values[0] for name, values in form.items()} | {"traceparent": self.headers["traceparent"]})
        self.answer({"refresh_token": "apple-refresh-token", "token_type": "bearer"})


def token(key=apple, kid="apple-1", **changes):
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": CLIENT, "sub": "apple-user-1", "iat": now, "exp": now + 600, "email": "jo@privaterelay.appleid.com", "email_verified": "true"}
    claims.update(changes)
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, key, algorithm="RS256", headers={"kid": kid})


def client(url):
    return SyncGoTrueClient(url=url, auto_refresh_token=False, http_client=httpx.Client(timeout=120))


def refused(name, url, credentials, words=""):
    try:
        client(url).sign_in_with_id_token({"provider": "apple", **credentials})
    except AuthError as error:
        check(name, getattr(error, "status", None) == 400 and words in str(error), error)
        return
    check(name, False, "it was accepted")


def run(url, port, key_file):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Apple)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    nonce = uuid.uuid4().hex
    hashed = hashlib.sha256(nonce.encode()).hexdigest()
    first = eventually(lambda: client(url).sign_in_with_id_token({"provider": "apple", "token": token(nonce=hashed), "nonce": nonce}))
    check("an identity token signs in", first.session is not None and first.user.app_metadata["provider"] == "apple", first)
    again = client(url).sign_in_with_id_token({"provider": "apple", "token": token()})
    check("… the same person again", again.user.id == first.user.id)
    stranger = client(url).sign_in_with_id_token({"provider": "apple", "token": token(sub="apple-user-2")})
    check("Item 11: the same address under another name is another person", stranger.user.id != first.user.id)

    refused("Item 8: a token for another app", url, {"token": token(aud="org.example.other")}, "Unacceptable audience in id_token: [org.example.other]")
    refused("Item 7: a token of another issuer", url, {"token": token(iss="https://evil.example")})
    refused("Item 10: an expired token", url, {"token": token(exp=int(time.time()) - 3600)})
    refused("Item 1: a token signed by another issuer", url, {"token": token(key=other)})
    refused("Item 4: a token under an unknown key", url, {"token": token(kid="apple-9")})
    refused("Item 2: an unsigned token", url, {"token": jwt.encode({"iss": ISSUER}, None, algorithm="none")})
    refused("a nonce that the token does not have", url, {"token": token(), "nonce": nonce})
    refused("a nonce that only the token has", url, {"token": token(nonce=hashed)})
    refused("another nonce", url, {"token": token(nonce=hashed), "nonce": "other"})
    body = {"provider": "apple", "id_token": token(nonce=hashed), "nonce": "other"}
    answer = httpx.post(url + "/token?grant_type=id_token", json=body, timeout=120)
    check("… in OAuth's own shape", answer.status_code == 400 and answer.json()["error"] == "invalid nonce", answer.text)

    body = {"provider": "apple", "id_token": token(), "authorization_code": "code +1"}
    trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    answer = httpx.post(url + "/token?grant_type=id_token", json=body, headers=trace, timeout=120)
    check("an authorization code is exchanged", answer.status_code == 200 and len(exchanged) == 1, (answer.text, exchanged))
    form = exchanged[0]
    check("… as it was given", form["code"] == "code +1" and form["client_id"] == CLIENT and form["grant_type"] == "authorization_code", form)
    check("… in the trace of the call", form["traceparent"] == trace["traceparent"], form)
    with open(key_file, "rb") as file:
        operator = serialization.load_pem_private_key(file.read(), None)
    secret = jwt.decode(form["client_secret"], operator.public_key(), algorithms=["ES256"], audience=ISSUER)
    check("… by whom it says", secret["iss"] == "TEAM" and secret["sub"] == CLIENT and secret["exp"] - secret["iat"] <= 600, secret)
    check("… and kept to itself", "apple-refresh-token" not in answer.text)


def notify(url, port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Apple)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def signed_in(name):
        person = client(url + "/auth/v1")
        person.sign_in_with_id_token({"provider": "apple", "token": token(sub=name, email=name + "@privaterelay.appleid.com")})
        return person

    def lives(person):
        headers = {"Authorization": f"Bearer {person.get_session().access_token}"}
        return httpx.get(url + "/auth/v1/user", headers=headers, timeout=120).status_code == 200

    def tell(kind="consent-revoked", name="apple-user-1", at=None, **changes):
        event = json.dumps({"type": kind, "sub": name, "event_time": at or int(time.time() * 1000)})
        told = {"exp": None, "email": None, "email_verified": None, "sub": None, "jti": uuid.uuid4().hex, "events": event, **changes}
        return httpx.post(url + "/v1/events/apple", json={"payload": token(**told)}, timeout=120)

    jo, kim = signed_in("apple-user-1"), signed_in("apple-user-2")
    for name, changes in {
        "signed by another issuer": {"key": other}, "for another app": {"aud": "org.example.other"},
        "of another issuer": {"iss": "https://evil.example"}, "under an unknown key": {"kid": "apple-9"},
    }.items():
        answer = tell(**changes)
        check(f"Item 27: a notification {name} is refused", answer.status_code == 401, answer.text)
    check("… and changes nothing", lives(jo) and lives(kim))
    answer = tell(events="{")
    check("one without an event is refused", answer.status_code in (400, 401), answer.text)
    for what, changes in {
        "a user": {"name": "apple\0user"}, "a long user": {"name": "a" * 256}, "an identifier": {"jti": "a\0b"},
        "a long identifier": {"jti": os.urandom(3_000).hex()}, "no identifier": {"jti": ""},
    }.items():
        answer = tell(**changes)
        check(f"SC-4: one with {what} that cannot be stored is refused", answer.status_code in (400, 401), answer.text)
    check("… and one of no interest is taken", tell("email-disabled").status_code == 200 and lives(jo))
    answer = tell(jti="told-once")
    check("consent withdrawn: taken", answer.status_code == 200, answer.text)
    check("… the person is out", not lives(jo))
    check("… and no other user", lives(kim))
    back = signed_in("apple-user-1")
    check("told again, it is taken", tell(jti="told-once").status_code == 200)
    check("… and does nothing a second time", lives(back))
    earlier = int(time.time()) - 60
    for kind in ("consent-revoked", "account-delete"):
        for unit, at in {"seconds": earlier, "milliseconds": earlier * 1000}.items():
            check(f"a late {kind} in {unit} is taken", tell(kind, at=at).status_code == 200)
            check("… and ends no session that began after it", lives(back))
    check("a message about an unknown user changes nothing", tell(name="apple-user-9").status_code == 200)
    check("the Apple Account deleted: out as well", tell("account-delete").status_code == 200 and not lives(back))


def join(url, port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Apple)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    first = client(url + "/auth/v1").sign_in_with_id_token({"provider": "apple", "token": token()})
    check("a user signs up with Apple by the app", first.session is not None, first)


def page(url, port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Apple)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = {"Sec-Fetch-Site": "same-origin"}

    def asked(browser):
        answer = browser.get("/account/apple?next=delete")
        check("the page leads to Apple", answer.status_code == 303 and answer.headers["location"].startswith("http://apple.test/"))
        sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["location"]).query))
        check("... with a state, a nonce and where to come back", sent["client_id"] == CLIENT and len(sent["nonce"]) == 64
              and sent["redirect_uri"].endswith("/account/apple") and sent["response_mode"] == "form_post", sent)
        return sent

    def back(form):
        """Apple's form comes without a cookie."""
        answer = httpx.post(url + "/account/apple", data=form, timeout=120, headers={"Sec-Fetch-Site": "cross-site"})
        check("Apple's form is shown with one button, and sets nothing",
              answer.status_code == 200 and "appleContinue" in answer.text and "set-cookie" not in answer.headers, answer.text)
        return {name: re.search(rf'name="{name}" value="([^"]*)"', answer.text).group(1) for name in ["state", "id_token", "code"]}

    with httpx.Client(base_url=url, timeout=120) as browser:
        check("the page offers it", "/account/apple?next=delete" in browser.get("/account/delete").text)
        sent = asked(browser)
        good = {"state": sent["state"], "code": "c", "id_token": token(nonce=sent["nonce"])}
        form = back(good)
        with httpx.Client(base_url=url, timeout=120) as other_browser:
            asked(other_browser)
            check("Item 31: an answer for another browser is refused",
                  other_browser.post("/account/apple/check", data=form, headers=here).status_code == 403)
        for name, changes, fields, status in [
            ("from another site", {}, {"Sec-Fetch-Site": "cross-site"}, 403),
            ("with a changed state", {"state": "account" + form["state"][6:]}, here, 403),
            ("with no state", {"state": ""}, here, 403),
            ("with a token that bears no nonce", {"id_token": token()}, here, 400),
            ("with a token of another sign-in", {"id_token": token(nonce="0" * 64)}, here, 400),
            ("with a token for another app", {"id_token": token(nonce=sent["nonce"], aud="org.example.other")}, here, 400),
            ("with a token of another issuer", {"id_token": token(key=other, nonce=sent["nonce"])}, here, 400),
        ]:
            answer = browser.post("/account/apple/check", data={**form, **changes}, headers=fields)
            check(f"an answer {name} is refused", answer.status_code == status and "farewell-session" not in str(answer.headers),
                  answer.status_code)
        for _ in range(2):
            stranger = {**form, "id_token": token(nonce=sent["nonce"], sub="apple-user-9", email="nobody@privaterelay.appleid.com")}
            answer = browser.post("/account/apple/check", data=stranger, headers=here)
            check("an Apple Account that is unknown here is refused, clearly, and no account made", answer.status_code == 403
                  and "No account here uses this Apple Account." in answer.text
                  and "farewell-session" not in str(answer.headers), answer.text)
        answer = browser.post("/account/apple/check", data=form, headers=here)
        check("Apple's answer signs in and leads to the deletion",
              answer.status_code == 303 and answer.headers["location"] == "/account/delete", answer.headers)
        check("... signed in as whom Apple says", "jo@privaterelay.appleid.com" in browser.get("/account").text)
    answer = httpx.post(url + "/account/apple", data={"error": "user_cancelled_authorize", "state": sent["state"]}, timeout=120)
    check("who changed their mind at Apple is back at the page",
          answer.status_code == 303 and answer.headers["location"] == "/account/delete", answer.headers)


def main():
    what, *rest = sys.argv[1:]
    if what == "make-key":
        key = ec.generate_private_key(ec.SECP256R1())
        with open(rest[0], "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    elif what == "notify":
        notify(*rest)
    elif what == "join":
        join(*rest)
    elif what == "page":
        page(*rest)
    else:
        run(*rest)


if __name__ == "__main__":
    main()
