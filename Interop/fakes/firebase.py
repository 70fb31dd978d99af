# SPDX-License-Identifier: Apache-2.0
"""A small fake of Firebase Authentication, made from its documented REST interface, and of an app's backend beside it.

    python Interop/fakes/firebase.py

Prints its address. Ends when its standard input does.

    /identitytoolkit/v1/accounts:signUp, :signInWithPassword, :lookup, :delete     JSON, errors in capitals
    /securetoken/v1/token                                                          a form, and nothing else
    /certs                                                                         the public keys of identity tokens
    /functions/v1/delete-account      the app's backend: checks the token, deletes data and account, once a key
    /functions/v1/sign-out            the app's backend: a ticket for a token; for a ticket, revokes the person's refresh tokens
    GET  /control                     people, living refresh tokens, deletions by key, renewals
    POST /control/{age,deaf,fine}     makes sign-ins old; loses answers of the next deletion; ends both
"""

import http.server
import itertools
import json
import os
import secrets
import sys
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

PROJECT, KEY = "creator-example", "example"
SIGNING = rsa.generate_private_key(public_exponent=65537, key_size=2048)
LOCK = threading.RLock()
PEOPLE, REFRESH, ERASURES, TICKETS = {}, {}, {}, {}
REVOKED = "revoked"
STATE = {"refreshes": 0, "age": 0, "deaf": 0}
NUMBERS = itertools.count(1)


class Answer(Exception):
    def __init__(self, status, value):
        self.status, self.value = status, value


def refuse(word, status=400):
    error = {"code": status, "message": word, "errors": [{"message": word, "domain": "global", "reason": "invalid"}]}
    raise Answer(status, {"error": error})


def token(user, signed_in):
    now = int(time.time())
    claims = {
        "iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "auth_time": signed_in, "user_id": user,
        "sub": user, "iat": now, "exp": now + 3600, "jti": str(next(NUMBERS)),
        "firebase": {"identities": {}, "sign_in_provider": "password"},
    }
    return jwt.encode(claims, SIGNING, algorithm="RS256", headers={"kid": "firebase-1"})


def grant(person):
    signed_in = int(time.time()) - STATE["age"]
    refresh = f"refresh+{next(NUMBERS)}/&="
    REFRESH[refresh] = (person["localId"], signed_in)
    return {
        "kind": "identitytoolkit#VerifyPasswordResponse", "localId": person["localId"], "email": person["email"],
        "idToken": token(person["localId"], signed_in), "refreshToken": refresh, "expiresIn": "3600",
    }


def caller(text):
    """The claims of an identity token whose account still exists."""
    try:
        claims = jwt.decode(
            text, SIGNING.public_key(), algorithms=["RS256"], audience=PROJECT,
            issuer=f"https://securetoken.google.com/{PROJECT}")
    except jwt.PyJWTError:
        refuse("INVALID_ID_TOKEN")
    if not any(person["localId"] == claims["sub"] for person in PEOPLE.values()):
        refuse("USER_NOT_FOUND")
    return claims


def remove(user):
    for email in [email for email, person in PEOPLE.items() if person["localId"] == user]:
        del PEOPLE[email]
    for refresh in [refresh for refresh, (owner, _) in REFRESH.items() if owner == user]:
        REFRESH[refresh] = (None, 0)


def revoke(user):
    """Revokes all refresh tokens of a person, like the Admin SDK's revokeRefreshTokens."""
    for refresh, (owner, signed_in) in REFRESH.items():
        if owner == user:
            REFRESH[refresh] = (REVOKED, signed_in)


def accounts(verb, body):
    if verb == "signUp":
        if body["email"] in PEOPLE:
            refuse("EMAIL_EXISTS")
        if len(body["password"]) < 6:
            refuse("WEAK_PASSWORD : Password should be at least 6 characters")
        PEOPLE[body["email"]] = {"localId": f"user{next(NUMBERS)}", "password": body["password"], "email": body["email"]}
        return grant(PEOPLE[body["email"]])
    if verb == "signInWithPassword":
        person = PEOPLE.get(body["email"])
        if not person or person["password"] != body["password"]:
            refuse("INVALID_LOGIN_CREDENTIALS")
        return grant(person) | {"registered": True}
    claims = caller(body.get("idToken"))
    if verb == "lookup":
        return {"users": [{"localId": claims["sub"]}]}
    if verb == "delete":
        if time.time() - claims["auth_time"] > 300:
            refuse("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        remove(claims["sub"])
        return {"kind": "identitytoolkit#DeleteAccountResponse"}
    refuse("OPERATION_NOT_ALLOWED")


def renew(form):
    if form.get("grant_type") != "refresh_token":
        refuse("INVALID_GRANT_TYPE")
    if not form.get("refresh_token"):
        refuse("MISSING_REFRESH_TOKEN")
    if form["refresh_token"] not in REFRESH:
        refuse("INVALID_REFRESH_TOKEN")
    user, signed_in = REFRESH[form["refresh_token"]]
    if user == REVOKED:
        refuse("TOKEN_EXPIRED")
    if user is None:
        refuse("USER_NOT_FOUND")
    STATE["refreshes"] += 1
    return {
        "expires_in": "3600", "token_type": "Bearer", "refresh_token": form["refresh_token"],
        "id_token": token(user, signed_in), "user_id": user, "project_id": "1",
    }


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def serve(self):
        text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        address = urllib.parse.urlsplit(self.path)
        with LOCK:
            try:
                value = self.take(address.path, dict(urllib.parse.parse_qsl(address.query)), text)
                self.answer(200, value)
            except Answer as answer:
                self.answer(answer.status, answer.value)

    def answer(self, status, value):
        if value is None:
            # Cut off in the middle: a client without any answer may retry automatically.
            self.close_connection = True
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "100")
            self.end_headers()
            self.wfile.write(b"{")
            return
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def take(self, path, query, text):
        kind = self.headers.get("content-type", "")
        if path.startswith("/control"):
            STATE.update({"/control/age": {"age": 900}, "/control/deaf": {"deaf": 1}, "/control/fine": {"age": 0, "deaf": 0}}
                         .get(path, {}))
            return {
                "people": {email: person["localId"] for email, person in PEOPLE.items()}, "alarms": 0,
                "sessions": [refresh for refresh, (user, _) in REFRESH.items() if user not in (None, REVOKED)],
                "erasures": list(ERASURES.values()), "refreshes": STATE["refreshes"],
            }
        if path == "/certs":
            return {"keys": [json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(SIGNING.public_key())) | {"kid": "firebase-1"}]}
        if path == "/functions/v1/delete-account":
            return self.backend()
        if path == "/functions/v1/sign-out":
            return self.ending(json.loads(text or "{}"))
        if query.get("key") != KEY:
            refuse("API key not valid. Please pass a valid API key.")
        if path.startswith("/identitytoolkit/v1/accounts:"):
            if kind != "application/json":
                refuse("INVALID_CONTENT_TYPE")
            value = accounts(path.split(":")[1], json.loads(text or "{}"))
            return None if path.endswith(":delete") and STATE["deaf"] else value
        if path == "/securetoken/v1/token":
            if kind != "application/x-www-form-urlencoded":
                refuse("INVALID_CONTENT_TYPE")
            return renew(dict(urllib.parse.parse_qsl(text)))
        raise Answer(404, {"error": {"code": 404, "message": "Not Found"}})

    def ending(self, body):
        if "ticket" in body:
            # 200 also for an unknown ticket.
            revoke(TICKETS.get(body["ticket"], "nobody"))
            return {}
        try:
            claims = caller(self.headers.get("authorization", "").removeprefix("Bearer "))
        except Answer:
            raise Answer(401, {"error": {"message": "Unauthorized"}}) from None
        ticket = secrets.token_urlsafe(32)
        TICKETS[ticket] = claims["sub"]
        return {"sign_out_ticket": ticket}

    def backend(self):
        key = self.headers.get("idempotency-key")
        try:
            claims = caller(self.headers.get("authorization", "").removeprefix("Bearer "))
        except Answer:
            raise Answer(401, {"error": {"message": "Unauthorized"}}) from None
        if time.time() - claims["auth_time"] > 300:
            raise Answer(403, {"error": {"message": "The sign-in is too old"}})
        ERASURES[key] = {"id": claims["sub"], "key": key}
        remove(claims["sub"])
        return None if STATE["deaf"] else {"data": {"success": True}}

    do_GET = do_POST = serve


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
