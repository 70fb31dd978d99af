# SPDX-License-Identifier: Apache-2.0
"""Plays Google for a running Farewell server, and signs in with identity tokens that another library makes.

    python Interop/sign_in_with_google.py URL PORT     is Google on PORT: /keys; signs in at URL, which ends in /auth/v1

The server trusts Apple too, by the same keys: it must not accept a token of one as a token of the other. The first check
that fails ends it with status 1.
"""

import hashlib
import http.server
import json
import sys
import threading
import time
import uuid

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthError

import plain_http  # noqa: F401
from patience import eventually

CLIENT = "1234-app.apps.googleusercontent.com"
ISSUERS = ["https://accounts.google.com", "accounts.google.com"]
google, later, other = [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(3)]
published = {"google-1": google}


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what!r}")
        sys.exit(1)


class Google(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        keys = [
            {**jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "alg": "RS256", "use": "sig"}
            for kid, key in list(published.items())
        ]
        body = json.dumps({"keys": keys}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def token(key=google, kid="google-1", **changes):
    now = int(time.time())
    claims = {"iss": ISSUERS[0], "aud": CLIENT, "azp": CLIENT, "sub": "109876543210", "iat": now, "exp": now + 3600,
              "email": "jo@example.org", "email_verified": True, "name": "Jo"}
    claims.update(changes)
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, key, algorithm="RS256", headers={"kid": kid})


def sign_in(url, provider="google", **credentials):
    client = SyncGoTrueClient(url=url, auto_refresh_token=False, http_client=httpx.Client(timeout=120))
    return client.sign_in_with_id_token({"provider": provider, **credentials})


def refused(name, url, **credentials):
    try:
        sign_in(url, **credentials)
    except AuthError as error:
        check(name, getattr(error, "status", None) == 400, error)
        return
    check(name, False, "it was accepted")


def accepted(url, text):
    try:
        return sign_in(url, token=text).session is not None
    except AuthError:
        return False


def main():
    url, port = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Google)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    nonce = uuid.uuid4().hex
    hashed = hashlib.sha256(nonce.encode()).hexdigest()

    first = eventually(lambda: sign_in(url, token=token(nonce=hashed), nonce=nonce))
    check("an identity token signs in", first.session is not None and first.user.app_metadata["provider"] == "google", first)
    check("… with the address that Google has verified", first.user.email == "jo@example.org", first.user)
    for issuer in ISSUERS:
        again = sign_in(url, token=token(iss=issuer))
        check(f"{issuer} names the same person", again.user.id == first.user.id, again.user)
    stranger = sign_in(url, token=token(sub="109876543211"))
    check("Item 11: the same address under another name is another person", stranger.user.id != first.user.id)
    doubtful = sign_in(url, token=token(sub="109876543212", email="kim@example.org", email_verified=False))
    check("an address that Google has not verified is not theirs", not doubtful.user.email, doubtful.user)

    for issuer in ["https://evil.example", "http://accounts.google.com", "https://accounts.google.com/", "https://appleid.apple.com", None]:
        refused(f"Item 7: a token of the issuer {issuer}", url, token=token(iss=issuer))
    refused("Item 7: a token of Google's as Apple's", url, provider="apple", token=token(aud="org.example.app"))
    refused("Item 7: a token of Apple's as Google's", url, token=token(iss="https://appleid.apple.com", aud="org.example.app"))
    refused("Item 8: a token for another app", url, token=token(aud="other.apps.googleusercontent.com", azp=None))
    refused("Item 8: a token for two apps, handed out to the other", url, token=token(aud=[CLIENT, "other"], azp="other"))
    refused("Item 10: an expired token", url, token=token(exp=int(time.time()) - 3600))
    refused("Item 1: a token signed by another issuer", url, token=token(key=other))
    refused("Item 4: a token under an unknown key", url, token=token(kid="google-9"))
    refused("a nonce that the token does not have", url, token=token(), nonce=nonce)
    refused("a nonce that only the token has", url, token=token(nonce=hashed))
    refused("another nonce", url, token=token(nonce=hashed), nonce="other")
    refused("a nonce as it is, and not its hash", url, token=token(nonce=nonce), nonce=nonce)

    # A new key is asked for when a token names it, every ten seconds at the most.
    published.clear()
    published["google-2"] = later
    end = time.monotonic() + 600
    while not (is_in := accepted(url, token(key=later, kid="google-2"))) and time.monotonic() < end:
        time.sleep(0.2)
    check("a key that Google has begun to use is taken", is_in)
    refused("… and the one it has withdrawn no more", url, token=token())


if __name__ == "__main__":
    main()
