# SPDX-License-Identifier: Apache-2.0
"""Drives running Farewell servers with the published client `supabase-auth`, as an app would.

    python Interop/supabase_auth_contract.py URL --key FILE --brief URL --closed URL --careful URL --held ID
    python Interop/supabase_auth_contract.py URL --hook-port PORT --hook-secret SECRET --aged TOKENS

URL          a server with default settings; it ends in /auth/v1
--key        the file with its operators' token (service.key in its state directory)
--brief      a server whose access tokens live 1 second and whose sessions live 2 seconds without a refresh
--closed     a server without sign-up, whose calls may take some seconds
--held       a person whom a row of the app refers to
--hook-port  drives mails instead: the server posts them to this port of this machine, where they are awaited
--hook-secret  the secret that signs them
--careful    a server that wants e-mail addresses confirmed, allows anonymous people, and few calls at once

--aged       access and refresh token of a session that began longer ago than a day

Every check is one line; the first that fails ends the program with status 1. At its end every error code that
supabase_auth_codes.py says is given must have been read.
"""

import argparse
import base64
import hashlib
import hmac
import http.client
import http.server
import json
import queue
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import jwt
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthError, AuthRetryableError, AuthWeakPasswordError

import plain_http  # noqa: F401
import supabase_auth_codes as codes

PASSWORD = "correct horse battery staple"
seen_codes = set()


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        if what is not None:
            print(f"      {what!r}")
        sys.exit(1)


def refused(name, code, call, status=None):
    """Holds when the client raises an error with this code, which it reads only from a proper answer."""
    try:
        call()
    except AuthWeakPasswordError as error:
        seen_codes.add(error.code)
        check(name, error.code == code and error.reasons, error)
        return error
    except AuthError as error:
        got = getattr(error, "status", None)
        seen_codes.add(error.code)
        check(name, error.code == code and (status is None or got == status), (error.code, got, error.message))
        return error
    check(name, False, "it was accepted")


@dataclass
class Place:
    url: str
    key: str | None = None

    def client(self, key=None, flow="implicit"):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return SyncGoTrueClient(
            url=self.url, headers=headers, auto_refresh_token=False, persist_session=True, flow_type=flow, http_client=httpx.Client(timeout=120)
        )

    @property
    def admin(self):
        return self.client(self.key).admin

    def person(self):
        """A new user, signed up: their client and their address."""
        client, email = self.client(), fresh()
        client.sign_up({"email": email, "password": PASSWORD})
        return client, email

    def signed_in(self, email, password=PASSWORD):
        client = self.client()
        client.sign_in_with_password({"email": email, "password": password})
        return client

    def raw(self, method, path, **more):
        return httpx.request(method, self.url + path, timeout=120, **more)


def fresh():
    return f"p-{uuid.uuid4().hex}@example.org"


def token_of(client):
    return client.get_session().access_token


def accepted(place, token):
    return place.raw("GET", "/user", headers={"Authorization": f"Bearer {token}"}).status_code == 200


def signing_up_and_in(place):
    client, email = place.client(), fresh()
    answer = client.sign_up({"email": email, "password": PASSWORD, "options": {"data": {"nick": "Anna", "deep": {"a": [1]}}}})
    check("sign-up signs in", answer.session is not None and answer.user.email == email, answer)
    check("the person's own data is kept", answer.user.user_metadata == {"nick": "Anna", "deep": {"a": [1]}})
    check("the operator's data says how they came", answer.user.app_metadata == {"provider": "email", "providers": ["email"]})
    check("an identity says the same", [i.provider for i in answer.user.identities] == ["email"], answer.user)
    refused("a second sign-up", "user_already_exists", lambda: place.client().sign_up({"email": email, "password": PASSWORD}), 422)
    refused("e-mail in other letters", "user_already_exists", lambda: place.client().sign_up({"email": email.upper(), "password": PASSWORD}))
    weak = refused("a weak password", "weak_password", lambda: place.client().sign_up({"email": fresh(), "password": "abc"}))
    check("… says why", weak.reasons == ["length"], weak.reasons)
    refused("no e-mail address", "validation_failed", lambda: place.client().sign_up({"email": "nobody", "password": PASSWORD}), 400)
    refused("a telephone number", "phone_provider_disabled", lambda: place.client().sign_up({"phone": "+441632960000", "password": PASSWORD}))
    deep = {}
    for _ in range(40):
        deep = {"a": deep}
    refused("data that nests too deep", "bad_json", lambda: place.client().sign_up({"email": fresh(), "password": PASSWORD, "options": {"data": deep}}), 400)
    refused("what is no token", "invalid_jwt", lambda: place.client().get_claims("x.y"))
    refused("anonymous people", "anonymous_provider_disabled", lambda: place.client().sign_in_anonymously(), 422)

    session = place.signed_in(email).get_session()
    check("a password signs in", session.user.id == answer.user.id and session.token_type == "bearer", session)
    check("the session says when it ends", 3500 < session.expires_in <= 3600 and abs(session.expires_at - time.time() - 3600) < 60)
    wrong = refused("a wrong password", "invalid_credentials", lambda: place.signed_in(email, "wrong" + PASSWORD), 400)
    nobody = refused("an unknown address", "invalid_credentials", lambda: place.signed_in(fresh()), 400)
    check("Item 33: both say the same", wrong.message == nobody.message)
    refused("a code instead of a password", "otp_disabled", lambda: place.client().sign_in_with_otp({"email": email}), 422)
    refused("a mail where none is sent", "email_provider_disabled", lambda: place.client().reset_password_for_email(email))
    refused("a provider that is not set up", "provider_disabled",
            lambda: place.client().sign_in_with_id_token({"provider": "apple", "token": "a.b.c"}), 400)

    claims = jwt.decode(session.access_token, options={"verify_signature": False})
    keys = place.raw("GET", "/.well-known/jwks.json").json()["keys"]
    check("the key set has public keys only", keys and all("d" not in k and k["kty"] != "oct" for k in keys), keys)
    header = jwt.get_unverified_header(session.access_token)
    key = next(k for k in keys if k["kid"] == header["kid"])
    verified = jwt.decode(session.access_token, jwt.PyJWK(key).key, algorithms=[key["alg"]], audience="authenticated")
    check("another library verifies the token", verified == claims)
    wanted = {"iss", "sub", "aud", "exp", "iat", "email", "phone", "app_metadata", "user_metadata", "role", "aal", "amr", "session_id", "is_anonymous"}
    check("the token has the contract's claims", wanted <= claims.keys() and isinstance(claims["aud"], str), claims)
    check("… and says how they signed in", claims["amr"][0]["method"] == "password")
    mine = place.client().get_claims(session.access_token)
    check("the client verifies it too", mine["claims"]["sub"] == answer.user.id)
    return email


def updating(place):
    client, email = place.person()
    answer = client.update_user({"data": {"nick": "Bea"}})
    check("the person changes their own data", answer.user.user_metadata["nick"] == "Bea")
    other, other_email = place.person()
    answer = client.update_user({"email": other_email})
    check("SRV-05 another user's address answers like any other", answer.user.email == other_email, answer)
    check("… and stays theirs", client.get_user().user.email == email and place.signed_in(other_email).get_session() is not None)
    refused("the same password", "same_password", lambda: client.update_user({"password": PASSWORD}), 422)
    weak = refused("a weak new password", "weak_password", lambda: client.update_user({"password": "abc"}))
    check("… says why", weak.reasons == ["length"])
    elsewhere = place.signed_in(email)
    elsewhere_token = token_of(elsewhere)
    client.update_user({"password": "another " + PASSWORD})
    check("a changed password keeps this session", accepted(place, token_of(client)))
    check("… and ends the others", not accepted(place, elsewhere_token))
    refused("the old password", "invalid_credentials", lambda: place.signed_in(email))
    check("the new one", place.signed_in(email, "another " + PASSWORD).get_session() is not None)
    check("the operator's data is not theirs to change",
          place.raw("PUT", "/user", json={"app_metadata": {"role": "admin"}}, headers=bearer(client)).json().get("app_metadata", {}).get("role") is None)


def changing_at_once(place):
    """Of two calls that change one password at the same moment, the second is refused."""
    client, _ = place.person()

    def change(number):
        try:
            client.update_user({"password": f"{number} {PASSWORD}"})
        except AuthError as error:
            return error

    for attempt in range(25):
        with ThreadPoolExecutor(8) as pool:
            errors = [error for error in pool.map(change, range(8 * attempt, 8 * attempt + 8)) if error is not None]
        check("some calls change it, the others are refused because of the change", all(error.code == "conflict" and error.status == 409 for error in errors), errors)
        if errors:
            break
    check("… which comes about", bool(errors))
    seen_codes.add("conflict")


def bearer(client):
    return {"Authorization": f"Bearer {token_of(client)}"}


def refreshing(place):
    client, _ = place.person()
    first = client.get_session()
    second = client.refresh_session().session
    check("a refresh gives new tokens", second.refresh_token != first.refresh_token and second.access_token != first.access_token)
    again = client.refresh_session(first.refresh_token).session
    check("a lost answer may be asked for again", again.refresh_token == second.refresh_token)
    third = client.refresh_session(second.refresh_token).session
    refused("an invented token", "refresh_token_not_found", lambda: client.refresh_session(third.refresh_token[:-6] + "AAAAAA"), 400)
    raw = place.raw("POST", "/token?grant_type=refresh_token", json={"refresh_token": "short"})
    check("no token at all", raw.status_code == 400 and raw.json()["error_code"] in ("validation_failed", "refresh_token_not_found"), raw.text)

    def ask(token, nonce):
        return place.raw("POST", "/token?grant_type=refresh_token", json={"refresh_token": token, "nonce": nonce})

    client, _ = place.person()
    start = client.get_session().refresh_token
    one, two = ask(start, "nonce-0001"), ask(start, "nonce-0001")
    check("with a nonce the same asker gets the same successor", one.json()["refresh_token"] == two.json()["refresh_token"], two.text)
    theft = ask(start, "nonce-0002")
    check("another nonce on a spent token is theft", theft.status_code == 400 and theft.json()["error_code"] == "refresh_token_already_used", theft.text)
    check("… and ends the session", not accepted(place, one.json()["access_token"]))
    seen_codes.add("refresh_token_already_used")


def unoffered(place):
    client, _ = place.person()
    factor = str(uuid.uuid4())
    refused("a second factor by codes", "mfa_totp_enroll_not_enabled", lambda: client.mfa.enroll({"factor_type": "totp", "friendly_name": "x"}), 422)
    refused("… by telephone", "mfa_phone_enroll_not_enabled", lambda: client.mfa.enroll({"factor_type": "phone", "friendly_name": "x", "phone": "+4930123456"}), 422)
    refused("… an unknown one", "mfa_factor_not_found", lambda: client.mfa.challenge({"factor_id": factor}), 404)
    refused("… given up", "mfa_factor_not_found", lambda: client.mfa.unenroll({"factor_id": factor}), 404)
    user = place.admin.create_user({"email": fresh(), "password": PASSWORD}).user.id
    check("a user's second factors, listed by an operator", place.admin.mfa.list_factors({"user_id": user}) == [])
    refused("… of an unknown user", "user_not_found", lambda: place.admin.mfa.list_factors({"user_id": factor}), 404)
    refused("… deleted by an operator", "mfa_factor_not_found", lambda: place.admin.mfa.delete_factor({"user_id": user, "id": factor}), 404)
    refused("an OAuth client", "feature_disabled", lambda: place.admin.oauth.list_clients(), 404)
    refused("single sign-on", "saml_provider_disabled", lambda: client.sign_in_with_sso({"domain": "example.org"}), 404)
    refused("another identity", "manual_linking_disabled", lambda: client.link_identity({"provider": "github"}), 404)
    refused("an invitation", "feature_disabled", lambda: place.admin.invite_user_by_email(fresh()), 404)
    refused("a link by an operator", "feature_disabled", lambda: place.admin.generate_link({"type": "magiclink", "email": fresh()}), 404)
    answer = place.raw("GET", "/authorize?provider=github", follow_redirects=False)
    check("a provider's own page", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)


def signing_out(place):
    def three():
        client, email = place.person()
        clients = [client, place.signed_in(email), place.signed_in(email)]
        return email, clients, [token_of(c) for c in clients], [c.get_session().refresh_token for c in clients]

    expected = {"local": [False, True, True], "others": [True, False, False], "global": [False, False, False]}
    for scope, survive in expected.items():
        email, clients, tokens, refresh_tokens = three()
        clients[0].sign_out({"scope": scope})
        check(f"SO-5 {scope}: access tokens", [accepted(place, t) for t in tokens] == survive, scope)
        for token, lives in zip(refresh_tokens, survive):
            answer = place.raw("POST", "/token?grant_type=refresh_token", json={"refresh_token": token})
            check(f"SO-5 {scope}: refresh token {'lives' if lives else 'is dead'}", (answer.status_code == 200) == lives, answer.text)
        check(f"SO-12 {scope}: signing in again restores access", accepted(place, token_of(place.signed_in(email))))

    _, clients, tokens, _ = three()
    answer = place.raw("POST", "/logout", headers=bearer(clients[0]))
    check("without a scope it is global, and has no body", answer.status_code == 204 and answer.content == b"")
    check("… so no token lives", not any(accepted(place, t) for t in tokens))
    refused("a session that ended", "session_not_found", lambda: clients[0].get_user(tokens[0]), 403)
    client, _ = place.person()
    answer = place.raw("POST", "/logout?scope=everywhere", headers=bearer(client))
    check("an unknown scope", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)


def administering(place):
    admin, email = place.admin, fresh()
    made = admin.create_user({"email": email, "password": PASSWORD, "email_confirm": True, "app_metadata": {"plan": "gold"}, "user_metadata": {"n": 1}}).user
    check("an operator makes a person", made.email == email and made.app_metadata["plan"] == "gold" and made.user_metadata == {"n": 1}, made)
    check("… who can sign in", place.signed_in(email).get_session() is not None)
    refused("the same address again", "email_exists", lambda: admin.create_user({"email": email, "password": PASSWORD}), 422)
    check("… gets them", admin.get_user_by_id(made.id).user.email == email)
    check("… lists them", made.id in [u.id for u in admin.list_users(page=1, per_page=1000)])
    listed = place.raw("GET", "/admin/users?page=1&per_page=1", headers={"Authorization": f"Bearer {place.key}"})
    check("… page by page", int(listed.headers["x-total-count"]) > 1 and 'rel="next"' in listed.headers["link"] and len(listed.json()["users"]) == 1, listed.headers)

    def find(**query):
        answer = place.raw("GET", "/admin/users", params=query, headers={"Authorization": f"Bearer {place.key}"})
        return answer, [user["id"] for user in answer.json().get("users", [])]

    name = f"Needle {uuid.uuid4()}"
    named = admin.create_user({"email": fresh(), "password": PASSWORD, "user_metadata": {"full_name": name}}).user
    check("… finds them by a part of their address", find(filter=email[1:-3])[1] == [made.id])
    check("… or of their name", find(filter=name.upper()[2:])[1] == [named.id])
    times = [[user["created_at"] for user in find(sort=sort, per_page=1000)[0].json()["users"]] for sort in ("created_at asc", "created_at desc", "")]
    check("… oldest first, or newest first as they are of themselves", len(times[0]) > 1 and times[0] == sorted(times[0]) and times[1] == times[2] == times[0][::-1])
    first, found = find(filter="@", sort="created_at asc", per_page=1)
    after = place.raw("GET", first.headers["link"].split(">")[0][1:].removeprefix("/auth/v1"), headers={"Authorization": f"Bearer {place.key}"}).json()
    check("… and the next page is of the same", after["users"][0]["id"] == find(filter="@", sort="created_at asc", per_page=2)[1][1] != found[0], after)
    for wrong in [{"sort": "email"}, {"sort": "created_at sideways"}, {"filter": "a\0b"}]:
        answer = find(**wrong)[0]
        check(f"… but not by {wrong}", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)

    changed = admin.update_user_by_id(made.id, {"user_metadata": {"n": 2}, "app_metadata": {"plan": "tin"}}).user
    check("… changes them", changed.user_metadata["n"] == 2 and changed.app_metadata["plan"] == "tin")

    number = "44" + str(uuid.uuid4().int)[:10]
    called = admin.create_user({"phone": "+" + number}).user
    check("an operator writes a telephone number down", called.phone == number, called)
    refused("the same number again", "phone_exists", lambda: admin.create_user({"phone": number}), 422)
    refused("… for an existing user", "phone_exists", lambda: admin.update_user_by_id(made.id, {"phone": number}), 422)

    client = place.signed_in(email)
    token, refresh_token = token_of(client), client.get_session().refresh_token
    admin.update_user_by_id(made.id, {"ban_duration": "24h"})
    refused("a barred person signs in", "user_banned", lambda: place.signed_in(email), 400)
    answer = place.raw("POST", "/token?grant_type=refresh_token", json={"refresh_token": refresh_token})
    check("… refreshes", answer.status_code == 400 and answer.json()["error_code"] == "user_banned", answer.text)
    check("… shows a token", not accepted(place, token))
    admin.update_user_by_id(made.id, {"ban_duration": "none"})
    check("… and is let in again", place.signed_in(email).get_session() is not None)

    client = place.signed_in(email)
    token = token_of(client)
    admin.update_user_by_id(made.id, {"password": "operator's " + PASSWORD})
    check("a password an operator changes ends every session", not accepted(place, token))

    client = place.signed_in(email, "operator's " + PASSWORD)
    token = token_of(client)
    admin.delete_user(made.id)
    refused("a deleted person's token", "user_not_found", lambda: client.get_user(token), 403)
    refused("a deleted person is not found", "user_not_found", lambda: admin.get_user_by_id(made.id), 404)
    refused("… nor deleted again", "user_not_found", lambda: admin.delete_user(made.id), 404)
    again = place.client().sign_up({"email": email, "password": PASSWORD})
    check("AD-8 a user who signs up again is a new user", again.user.id != made.id and again.user.user_metadata == {}, again.user)

    soft = admin.create_user({"email": fresh(), "password": PASSWORD, "email_confirm": True, "user_metadata": {"n": 1}}).user
    admin.delete_user(soft.id, should_soft_delete=True)
    left = place.raw("GET", f"/admin/users/{soft.id}", headers={"Authorization": f"Bearer {place.key}"})
    check("who is deleted softly leaves a row without their data",
          left.status_code == 404 or (soft.email not in left.text and left.json()["user_metadata"] == {} and "deleted_at" in left.json()), left.text)

    client, _ = place.person()
    for path, method in [("/admin/users", "GET"), (f"/admin/users/{uuid.uuid4()}", "DELETE"), (f"/admin/users/{uuid.uuid4()}", "PUT")]:
        answer = place.raw(method, path, headers=bearer(client), json={} if method == "PUT" else None)
        check(f"Item 28: a person may not {method} {path.split('/')[2]}", answer.status_code == 403 and answer.json()["error_code"] == "not_admin", answer.text)
    refused("… nor with the client", "not_admin", lambda: place.client(token_of(client)).admin.list_users(), 403)
    refused("not without a token", "no_authorization", lambda: place.client().admin.list_users(), 401)
    answer = place.raw("GET", "/admin/users/not-a-uuid", headers={"Authorization": f"Bearer {place.key}"})
    check("a name that is no UUID", answer.status_code == 404 and answer.json()["error_code"] == "validation_failed", answer.text)


def shapes(place):
    answer = place.raw("POST", "/token?grant_type=password", content=b"{", headers={"Content-Type": "application/json"})
    check("broken JSON, initial shape", answer.status_code == 400 and answer.json()["error_code"] == "bad_json" and answer.json()["code"] == 400)
    answer = place.raw("POST", "/token?grant_type=password", content=b"{", headers={"X-Supabase-Api-Version": "2024-01-01"})
    check("broken JSON, dated shape", answer.json()["code"] == "bad_json" and answer.headers["x-supabase-api-version"] == "2024-01-01")
    check("the code stands in a field too", answer.headers["x-sb-error-code"] == "bad_json")
    for grant in ["pkce", "web3", "client_credentials", ""]:
        answer = place.raw("POST", f"/token?grant_type={grant}", json={})
        check(f"the grant {grant!r}", answer.status_code == 400 and answer.json()["error_code"] in ("invalid_credentials", "validation_failed"), answer.text)
    answer = place.raw("POST", "/signup", content=b" " * (1 << 20) + b"{}")
    check("more than 1 MiB", answer.status_code == 413 and answer.json()["error_code"] == "request_entity_too_large", answer.text)
    for token in ["x", "a.b.c", jwt.encode({"sub": str(uuid.uuid4())}, "k" * 32), jwt.encode({"sub": str(uuid.uuid4())}, None, algorithm="none")]:
        refused("a token that is none of ours", "bad_jwt", lambda: place.client().get_user(token), 403)
    answer = place.raw("GET", "/user")
    check("no token", answer.status_code == 401 and answer.json()["error_code"] == "no_authorization")
    settings = place.raw("GET", "/settings").json()
    check("the settings are public", settings["external"]["email"] is True and settings["disable_signup"] is False and settings["mailer_autoconfirm"] is True, settings)
    health = place.raw("GET", "/health").json()
    check("the health is public", health["name"] and health["version"].startswith("v"), health)
    client, email = place.person()
    answer = place.raw("POST", "/token?grant_type=password", json={"email": email, "password": PASSWORD})
    claims = jwt.decode(answer.json()["access_token"], options={"verify_signature": False})
    check("fields say whose session it is", answer.headers["sb-auth-user-id"] == claims["sub"] and answer.headers["sb-auth-session-id"] == claims["session_id"])
    check("weak_password is there and null", answer.json().get("weak_password", 7) is None)
    origin = place.raw("OPTIONS", "/token", headers={"Origin": "https://app.example", "Access-Control-Request-Method": "POST"})
    check("a preflight", origin.status_code in (200, 204) and "POST" in origin.headers["access-control-allow-methods"], origin.headers)
    answer = place.raw("GET", "/user", headers={**bearer(client), "X-JWT-AUD": "another"})
    check("a token for another audience", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)


def briefly(place):
    client, email = place.person()
    token = place.raw("POST", "/token?grant_type=password", json={"email": email, "password": PASSWORD}).json()
    time.sleep(4)
    answer = place.raw("GET", "/user", headers={"Authorization": f"Bearer {token['access_token']}"})
    check("an expired access token", answer.status_code == 403 and answer.json()["error_code"] == "bad_jwt", answer.text)
    refused("a session that slept too long", "session_expired", lambda: client.refresh_session(token["refresh_token"]), 400)
    out = httpx.post(place.url.removesuffix("/auth/v1") + "/v1/sign-out", json={"ticket": token["sign_out_ticket"]}, timeout=120)
    check("a ticket signs out though the token has expired", out.status_code == 200, out.text)
    refused("the client is told of its expiry", "bad_jwt", lambda: client.get_user(token["access_token"]), 403)


def closed(place):
    refused("sign-up where it is closed", "signup_disabled", lambda: place.client().sign_up({"email": fresh(), "password": PASSWORD}), 422)
    answers = []
    client = SyncGoTrueClient(url=place.url, http_client=httpx.Client(transport=Dawdling(answers)))
    try:
        client.sign_in_with_password({"email": fresh(), "password": PASSWORD})
        check("a call that is never all there", False, "it was accepted")
    except AuthRetryableError as error:
        # The client reports a retryable error by its type, and keeps no code of it.
        code = answers[-1].headers["x-sb-error-code"]
        check("a call that is never all there is to be asked again", error.status == 504 and code == "request_timeout", (error.status, code))
        seen_codes.add(code)


class Dawdling(httpx.BaseTransport):
    """Sends all of a call but its last byte, and waits for the answer."""

    def __init__(self, answers):
        self.answers = answers

    def handle_request(self, request):
        connection = http.client.HTTPConnection(request.url.host, request.url.port, timeout=120)
        connection.putrequest(request.method, request.url.raw_path.decode("ascii"), skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            connection.putheader(name, value)
        connection.endheaders(request.read()[:-1])
        answer = connection.getresponse()
        self.answers.append(httpx.Response(answer.status, headers=answer.getheaders(), content=answer.read(), request=request))
        connection.close()
        return self.answers[-1]


def carefully(place):
    client, email = place.client(), fresh()
    answer = client.sign_up({"email": email, "password": PASSWORD})
    check("sign-up awaits a confirmation", answer.session is None and answer.user.email == email, answer)
    refused("… before it no user signs in", "email_not_confirmed", lambda: place.signed_in(email), 400)
    again = place.client().sign_up({"email": email, "password": PASSWORD})
    check("Item 33: a second sign-up looks like the first", again.session is None and again.user.email == email)
    anonymous = place.client().sign_in_anonymously()
    check("anonymous people are let in", anonymous.session is not None and anonymous.user.is_anonymous is True)
    for _ in range(200):
        answer = place.raw("POST", "/token?grant_type=password", json={"email": email, "password": PASSWORD})
        if answer.status_code == 429:
            break
    check("too many calls", answer.status_code == 429 and answer.json()["error_code"] == "over_request_rate_limit", answer.text)
    check("… are told when to come back", int(answer.headers["retry-after"]) > 0)
    refused("… the client too", "over_request_rate_limit", lambda: place.signed_in(email), 429)
    out = httpx.post(place.url.removesuffix("/auth/v1") + "/v1/sign-out", json={"ticket": "unknown"}, timeout=120)
    check("leaving is never limited", out.status_code == 200, out.text)


class Hook:
    """The operator's program that mails are posted to: believes nothing without a good signature."""

    def __init__(self, port, secret):
        self.mails, self.faults, self.seen = queue.Queue(), [], set()
        key = base64.b64decode(secret.removeprefix("whsec_"))
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                name, at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
                good = base64.b64encode(hmac.new(key, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()).decode()
                signed = any(hmac.compare_digest(f"v1,{good}", one) for one in self.headers["webhook-signature"].split(" "))
                if not signed or abs(time.time() - int(at)) > 300 or name in hook.seen:
                    hook.faults.append((name, signed))
                hook.seen.add(name)
                self.send_response(204)
                self.end_headers()
                hook.mails.put(json.loads(body))

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def mail(self, email, kind, target="https://app.example.org"):
        got = self.mails.get(timeout=120)
        data = got["email_data"]
        check(f"a mail to {kind} comes, signed", data["email"] == email and data["email_action_type"] == kind and not self.faults, (data["email_action_type"], self.faults))
        if kind.endswith("_notification"):
            check("… without a code", data["token"] == data["token_hash"] == "", data)
        else:
            check("… with six digits", len(data["token"]) == 6 and data["token"].isdigit())
        check("Item 35: … and no address but the configured one", data["site_url"] == "https://app.example.org" and data["redirect_to"] == target and "evil.example" not in json.dumps(got), got)
        return data


def wrong(code):
    return "000000" if code != "000000" else "000001"


def aged(place, tokens):
    client = place.client()
    client.set_session(*tokens.split(" "))
    refused("a new password in an old session wants a code", "reauthentication_needed", lambda: client.update_user({"password": "new " + PASSWORD}), 400)


def proving(place, hook):
    """Links for clients that accept only codes (PKCE)."""
    target = "https://app.example.org/welcome?from=mail"
    url, client, email = place.url, place.client(flow="pkce"), fresh()
    client.sign_up({"email": email, "password": PASSWORD, "options": {"email_redirect_to": target}})
    data = hook.mail(email, "signup", target)

    def opened(data):
        answer = httpx.get(f"{url}/verify", params={"token": data["token_hash"], "type": data["email_action_type"], "redirect_to": data["redirect_to"]}, timeout=120)
        found = httpx.URL(answer.headers["location"])
        check("a link leads to the app with a code, and no session", answer.status_code == 303 and found.host == "app.example.org" and not found.fragment and found.params["code"], answer.headers)
        return found

    found = opened(data)
    check("… at the address that it asked for", found.path == "/welcome" and found.params["from"] == "mail", found)
    code = found.params["code"]
    refused("another app's verifier", "bad_code_verifier", lambda: place.client().exchange_code_for_session({"auth_code": code, "code_verifier": "v" * 56}), 400)
    answer = client.exchange_code_for_session({"auth_code": code})
    check("the code and the client's verifier sign in", answer.session is not None and answer.user.email_confirmed_at is not None, answer)
    refused("the code again", "flow_state_not_found", lambda: place.client().exchange_code_for_session({"auth_code": code, "code_verifier": "v" * 56}), 404)

    client.reset_password_for_email(email, {"redirect_to": "https://evil.example/"})
    found = opened(hook.mail(email, "recovery"))
    answer = client.exchange_code_for_session({"auth_code": found.params["code"]})
    client.update_user({"password": "proved " + PASSWORD})
    check("a recovery with a verifier", place.signed_in(email, "proved " + PASSWORD).get_session() is not None)
    new = fresh()
    client.update_user({"email": new}, {"email_redirect_to": target})
    found = opened(hook.mail(new, "email_change", target))
    hook.mail(email, "email_changed_notification")
    answer = client.exchange_code_for_session({"auth_code": found.params["code"]})
    check("a new address with a verifier", answer.user.email == new, answer.user)
    for more in [{"code_challenge": "x" * 43}, {"code_challenge": "x" * 42, "code_challenge_method": "s256"}, {"code_challenge": "x" * 129, "code_challenge_method": "s256"},
                 {"code_challenge": "ö" * 43, "code_challenge_method": "s256"}, {"code_challenge": "x" * 43, "code_challenge_method": "s512"}]:
        answer = place.raw("POST", "/recover", json={"email": fresh(), **more})
        check(f"a challenge {sorted(more)}", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)
    for body in [{}, {"auth_code": "x"}, {"code_verifier": "x"}]:
        answer = place.raw("POST", "/token?grant_type=pkce", json=body)
        check(f"an exchange with {sorted(body)}", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)


def mailed(place, hook):
    client, email = place.client(), fresh()
    answer = client.sign_up({"email": email, "password": PASSWORD})
    check("sign-up awaits a confirmation", answer.session is None and answer.user.email == email, answer)
    refused("… before it no user signs in", "email_not_confirmed", lambda: place.signed_in(email), 400)
    data = hook.mail(email, "signup")
    refused("a wrong code", "otp_expired", lambda: client.verify_otp({"email": email, "token": wrong(data["token"]), "type": "signup"}), 403)
    refused("the right one for another purpose", "otp_expired", lambda: client.verify_otp({"email": email, "token": data["token"], "type": "recovery"}), 403)
    answer = client.verify_otp({"email": email, "token": data["token"], "type": "email"})
    check("the code signs in", answer.session is not None and answer.user.email_confirmed_at is not None, answer)
    check("… and the password does from now on", place.signed_in(email).get_session() is not None)
    refused("the code again", "otp_expired", lambda: client.verify_otp({"email": email, "token": data["token"], "type": "signup"}), 403)

    other = place.client()
    other_email = fresh()
    first = other.sign_up({"email": other_email, "password": PASSWORD}).user
    data = hook.mail(other_email, "signup")
    again = place.client().sign_up({"email": email, "password": PASSWORD}).user
    check("Item 33: a sign-up with a known address answers as any other", set(again.model_dump(exclude_none=True)) == set(first.model_dump(exclude_none=True)) and len(again.identities) == len(first.identities), (first, again))
    answer = other.verify_otp({"token_hash": data["token_hash"], "type": "signup"})
    check("the token of a link signs in too", answer.session is not None, answer)

    answer = place.raw("POST", "/recover", json={"email": email}, headers={"Host": "evil.example"})
    check("SRV-04 a request for another host is refused", answer.status_code == 421 and answer.json()["error_code"] == "misdirected_request", answer.text)
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Origin": "https://evil.example"}
    answer = place.raw("POST", "/recover?redirect_to=https://evil.example", json={"email": email}, headers=forged)
    check("a forgotten password", answer.status_code == 200 and answer.json() == {}, answer.text)
    data = hook.mail(email, "recovery")
    limited = refused("another mail at once", "over_email_send_rate_limit", lambda: place.client().reset_password_for_email(email), 429)
    nobody = fresh()
    place.client().reset_password_for_email(nobody)
    unknown = refused("Item 33: … also for an unknown address", "over_email_send_rate_limit", lambda: place.client().reset_password_for_email(nobody), 429)
    check("… in the same words", limited.message == unknown.message)
    client = place.client()
    client.verify_otp({"email": email, "token": data["token"], "type": "recovery"})
    client.update_user({"password": "recovered " + PASSWORD})
    check("a new password after a recovery", place.signed_in(email, "recovered " + PASSWORD).get_session() is not None)
    refused("… and the old one no more", "invalid_credentials", lambda: place.signed_in(email), 400)

    address = fresh()
    answer = client.update_user({"email": address})
    check("a new address awaits its own confirmation", answer.user.email == email and answer.user.new_email == address, answer.user)
    data = hook.mail(address, "email_change")
    answer = client.verify_otp({"email": address, "token": data["token"], "type": "email_change"})
    check("… and is theirs with it", answer.user.email == address, answer.user)
    hook.mail(email, "email_changed_notification")
    client.resend({"type": "email_change", "email": fresh()})

    client.reauthenticate()
    data = hook.mail(address, "reauthentication")
    refused("a wrong code for a new password", "reauthentication_not_valid", lambda: client.update_user({"password": "third " + PASSWORD, "nonce": wrong(data["token"])}), 422)
    client.update_user({"password": "third " + PASSWORD, "nonce": data["token"]})
    check("the right one", place.signed_in(address, "third " + PASSWORD).get_session() is not None)
    refused("… once", "reauthentication_not_valid", lambda: client.update_user({"password": "fourth " + PASSWORD, "nonce": data["token"]}), 422)

    proving(place, hook)
    refused("a code instead of a password", "otp_disabled", lambda: place.client().sign_in_with_otp({"email": address}), 422)
    answer = place.raw("POST", "/magiclink", json={"email": address})
    check("a link instead of one", answer.status_code == 422 and answer.json()["error_code"] == "otp_disabled", answer.text)
    refused("an address that no one can have", "email_address_invalid", lambda: place.client().reset_password_for_email("a@nowhere.invalid"), 400)
    refused("what is no address", "validation_failed", lambda: place.client().reset_password_for_email("nobody"), 400)
    for body in [{}, {"type": "signup"}, {"type": "signup", "token": "1"}, {"type": "nonsense", "token": "1", "email": email}, {"type": "signup", "token_hash": "x", "email": email}]:
        answer = place.raw("POST", "/verify", json=body)
        check(f"verify with {sorted(body)}", answer.status_code == 400 and answer.json()["error_code"] == "validation_failed", answer.text)
    answer = place.raw("GET", "/verify?token=x&type=signup&redirect_to=https://evil.example", follow_redirects=False)
    target = answer.headers.get("location", "")
    check("GET /verify leads to the site with what is wrong", answer.status_code == 303 and target.startswith("https://app.example.org#") and "error_code=otp_expired" in target, target)
    for path in ["/recover", "/resend"]:
        check(f"Item 30: GET {path} does nothing", place.raw("GET", f"{path}?token=x&type=signup").status_code == 405)
    check("no other mail came", hook.mails.empty() and not hook.faults, hook.faults)


def read_all(wanted):
    print("codes: " + " ".join(sorted(code for code in seen_codes if code)))
    check("every code that is given was read", not wanted - seen_codes, sorted(wanted - seen_codes))


def main():
    check("the client knows no code that we do not", not any(codes.faults().values()), codes.faults())
    arguments = argparse.ArgumentParser()
    arguments.add_argument("url")
    for name in ["key", "brief", "closed", "careful", "held", "hook-secret", "aged"]:
        arguments.add_argument(f"--{name}")
    arguments.add_argument("--hook-port", type=int)
    given = arguments.parse_args()
    if given.hook_port:
        aged(Place(given.url), given.aged)
        mailed(Place(given.url), Hook(given.hook_port, given.hook_secret))
        return read_all(codes.WITH_MAIL)
    place = Place(given.url, open(given.key, encoding="ascii").read().strip())
    signing_up_and_in(place)
    updating(place)
    changing_at_once(place)
    refreshing(place)
    unoffered(place)
    signing_out(place)
    shapes(place)
    administering(place)
    refused("a person whom rows of the app hold on to", "unexpected_failure", lambda: place.admin.delete_user(given.held), 500)
    briefly(Place(given.brief))
    closed(Place(given.closed))
    carefully(Place(given.careful))
    read_all(codes.WITHOUT_MAIL | codes.UNLISTED)


if __name__ == "__main__":
    main()
