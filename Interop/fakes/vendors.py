"""Small fakes of vendors' services, made from their documented requests and replies, quirks included.

Prints one line of JSON: where they are. Ends when its standard input does.

    POST /control/hold/KIND     refuses deletion of that entry
    POST /control/settle/KIND   removes all people of that kind, adds a person and neighbours
    POST /control/stall/KIND    the next deletion there is held, `before` it happens or `after`, until /control/release
    GET  /control/stalled/KIND  comes when it is
    POST /control/identify/apple  an identity token of the person in the body, and a code for their refresh token
    POST /control/elapse/stripe periods end, and obstacles to a customer's redaction are removed
    POST /control/jobs/stripe   the redaction jobs there are
    GET  /control/census/KIND   everything there is, entry by entry
"""

import base64
import hashlib
import http.server
import json
import os
import re
import socketserver
import sys
import threading
import time
import urllib.parse

import jwt
from answer import NULL, Answer, alike, contents, number, piece, plain
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from firebase_services import firebase, google

KEY = "canary-vendor-key"
lock = threading.RLock()


def bearer(call, refusal):
    if call.headers.get("authorization") != f"Bearer {KEY}":
        raise Answer(401, refusal)


PERIOD_END = 1_800_000_000 + 10 * 86400


class Stripe:
    """Customers, subscriptions, invoices and redaction jobs. A deleted customer is still known, and says that it is
    deleted. What is posted again under the same key gets the same answer, and under another path an error."""

    def settle(self, person=None):
        n = next(number)
        person = person or f"cus_{n}"
        people = [person, person + "1", "cus_other", *alike(person)]
        self.customers = {c: {"id": c, "object": "customer", "email": f"{c}@example.org"} for c in people}
        self.subscriptions = {}
        for c, count in [(people[0], 3), (people[1], 2), *((c, 1) for c in people[2:])]:
            for k in range(count):
                state = "active" if k != 1 else "canceled"
                subscription = {"id": f"sub_{c}_{k}", "object": "subscription", "customer": c, "status": state}
                # Newer versions of the interface tell the period item by item.
                items = {"object": "list", "data": [{"id": f"si_{c}_{k}", "current_period_end": PERIOD_END + k}]}
                subscription |= {"cancel_at_period_end": False, "cancel_at": None, "items": items}
                self.subscriptions[subscription["id"]] = subscription
        self.invoices = [{"id": f"in_{n}", "object": "invoice", "customer": people[1], "status": "open"}]
        for k in range(3):
            invoice = {"id": f"in_{n}_{k}", "object": "invoice", "customer": people[0], "status": "paid", "total": 100 * k}
            # An invoice shows the first of its lines.
            invoice["lines"] = {"object": "list", "has_more": k == 1, "data": [{"id": f"il_{n}_{k}_0", "object": "line_item"}]}
            invoice["confirmation_secret"] = {"client_secret": "hidden", "type": "payment_intent"}
            self.invoices.append(invoice)
        self.keys, self.all_jobs, self.blocked = {}, {}, set()
        return [people[0]]

    def elapse(self):
        self.blocked.clear()
        for subscription in self.subscriptions.values():
            if subscription["cancel_at_period_end"]:
                subscription["status"] = "canceled"
        return True

    def block(self):
        self.blocked = set(self.customers)
        return True

    def jobs(self):
        return list(self.all_jobs.values())

    def census(self):
        found = dict(self.customers) | {s: v for s, v in self.subscriptions.items() if v["status"] == "active"}
        return {k: v for k, v in found.items() if not v.get("deleted")}

    def call(self, call, method, path, query, body):
        bearer(call, {"error": {"type": "invalid_request_error", "message": "Invalid API Key provided"}})
        # Keys have no effect on other methods, which can be repeated anyway.
        key = call.headers.get("idempotency-key") if method == "POST" else None
        if key in self.keys:
            path_then, body_then, answer = self.keys[key]
            if (path_then, body_then) != (path, body):
                raise Answer(400, {"error": {"type": "idempotency_error", "message": "Keys are for one request."}})
            raise answer
        try:
            self.answer(method, path, query, body)
        except Answer as answer:
            if key and answer.status < 500:
                self.keys[key] = path, body, answer
            raise

    def job(self, job):
        shown = {name: value for name, value in job.items() if name != "customer"}
        return Answer(200, shown | {"objects": {"customers": [job["customer"]]}})

    def redaction(self, method, path, body):
        if path == "/v1/privacy/redaction_jobs" and method == "POST":
            job = {"id": f"prj_{next(number)}", "object": "privacy.redaction_job", "status": "validating"}
            job |= {"validation_behavior": body.get("validation_behavior", "error"), "created": 1, "livemode": False}
            job["customer"] = body["objects[customers][0]"]
            self.all_jobs[job["id"]] = job
            raise self.job(job)
        match = re.fullmatch(r"/v1/privacy/redaction_jobs/(\w+)(?:/(\w+))?", path)
        job = match and self.all_jobs.get(match[1])
        if not job:
            raise Answer(404, {"error": {"code": "resource_missing", "type": "invalid_request_error"}})
        match method, match[2], job["status"]:
            case "GET", "validation_errors", _:
                errors = [{"id": "prjve_1", "object": "privacy.redaction_job_validation_error", "code": "invalid_state"}]
                raise Answer(200, {"object": "list", "has_more": False, "data": errors if job["status"] == "failed" else []})
            case "POST", "run", "ready":
                job["status"] = "redacting"
            case "POST", "validate", "failed":
                job["status"] = "validating"
            case "POST", _, _:
                raise Answer(400, {"error": {"type": "invalid_request_error", "message": "Not in this status."}})
        raised = self.job(job)
        # Each look finds it a step further.
        active = any(s["customer"] == job["customer"] and s["status"] == "active" for s in self.subscriptions.values())
        if method == "GET" and job["status"] == "validating":
            job["status"] = "failed" if active or job["customer"] in self.blocked else "ready"
        elif method == "GET" and job["status"] == "redacting":
            job["status"] = "succeeded"
            customer = {"email": "[redacted]", "redaction": {"status": "redacted"}}
            self.customers[job["customer"]] |= customer
        raise raised

    def answer(self, method, path, query, body):
        if path.startswith("/v1/privacy/"):
            self.redaction(method, path, body)
        missing = Answer(404, {"error": {"code": "resource_missing", "type": "invalid_request_error"}})
        if path in ("/v1/subscriptions", "/v1/invoices"):
            every = list(self.subscriptions.values()) if path == "/v1/subscriptions" else self.invoices
            mine = [e for e in every if e["customer"] == query.get("customer")]
            # Without a status the list omits cancelled subscriptions.
            wanted = query.get("status")
            mine = [e for e in mine if wanted == "all" or (e["status"] == wanted if wanted else e["status"] != "canceled")]
            start = 0
            if "starting_after" in query:
                start = [e["id"] for e in mine].index(query["starting_after"]) + 1
            # Fewer than were asked for: a page is only the last one if it says so.
            limit = min(int(query.get("limit", 10)), 1)
            page = mine[start : start + limit]
            more = start + limit < len(mine)
            raise Answer(200, {"object": "list", "url": path, "data": page, "has_more": more})
        if match := re.fullmatch(r"/v1/invoices/([^/]+)/lines", path):
            if not any(e["id"] == match[1] for e in self.invoices):
                raise missing
            lines = [{"id": f"il_{match[1][3:]}_{k}", "object": "line_item", "invoice": match[1]} for k in range(3)]
            raise Answer(200, {"object": "list", "url": path, "data": lines, "has_more": False})
        if path == "/v1/customers" and method == "GET":
            living = [c for c in self.customers.values() if not c.get("deleted")]
            data = [c | {"livemode": False} for c in living[: int(query.get("limit", 10))]]
            raise Answer(200, {"object": "list", "url": path, "data": data, "has_more": len(living) > len(data)})
        if match := re.fullmatch(r"/v1/customers/([^/]+)", path):
            customer = self.customers.get(match[1])
            if not customer or (method == "DELETE" and customer.get("deleted")):
                raise missing
            if method == "DELETE":
                self.customers[match[1]] = customer = {"id": match[1], "object": "customer", "deleted": True}
                # Deleting a customer cancels what subscriptions are left.
                for subscription in self.subscriptions.values():
                    if subscription["customer"] == match[1]:
                        subscription["status"] = "canceled"
            raise Answer(200, customer | {"livemode": False})
        if match := re.fullmatch(r"/v1/subscriptions/([^/]+)", path):
            subscription = self.subscriptions.get(match[1])
            if not subscription or (method == "DELETE" and subscription["status"] == "canceled"):
                raise missing
            if method == "DELETE":
                subscription["status"] = "canceled"
            elif method == "POST" and body.get("cancel_at_period_end") == "true":
                end = subscription["items"]["data"][0]["current_period_end"]
                subscription |= {"cancel_at_period_end": True, "cancel_at": end}
            raise Answer(200, subscription)
        raise missing


class SupabaseAuth:
    """The operators' part of Supabase Auth. A user whom rows of the app refer to cannot be deleted."""

    def settle(self, strange=None):
        n = next(number)
        ids = [f"00000000-0000-4000-8000-{n:012d}", f"00000000-0000-4000-8000-9{n:011d}"]
        if strange:
            ids = [f"0000abcd-0000-4000-8000-{n:012d}", f"0000abce-0000-4000-8000-{n:012d}", f"0000abcd-0000-4000-8000-{n:011d}f"]
        self.users = {
            # Two names that Unicode considers equal are two in metadata, which the app writes.
            i: {"id": i, "email": f"{i}@example.org", "recovery_sent_at": "2026-01-02T03:04:05Z",
                "user_metadata": {"caf\u00e9": 1, "cafe\u0301": 2.50, "push_token": "hidden", "tokens": 7}} for i in ids}
        self.held = set()
        # Capitals and small letters are one identifier.
        return [ids[0].upper() if strange else ids[0]]

    def census(self):
        return self.users

    def call(self, call, method, path, query, body):
        bearer(call, {"code": 401, "error_code": "no_authorization", "msg": "This endpoint requires a Bearer token"})
        if path == "/auth/v1/admin/users" and method == "GET":
            page = list(self.users.values())[: int(query.get("per_page", 50))]
            raise Answer(200, {"aud": "authenticated", "users": page})
        match = re.fullmatch(r"/auth/v1/admin/users/([^/]+)", path.lower())
        if not match:
            raise Answer(404, "404 page not found", "text/plain")
        user = self.users.get(match[1])
        if not user:
            raise Answer(404, {"code": 404, "error_code": "user_not_found", "msg": "User not found"})
        if method == "GET":
            raise Answer(200, user)
        if match[1] in self.held:
            raise Answer(500, {"code": "23503", "message": 'update or delete on table "users" violates foreign key constraint'})
        del self.users[match[1]]
        raise Answer(200, {})


class SupabaseStorage:
    """Lists one folder at a time: an entry without an identifier is a folder. Deleting names what it deleted.

    As in github.com/supabase/storage: the list compares in small letters (storage.search) and never looks for the bucket
    (routes/object/listObjects.ts); a key that row security shows nothing gets an empty list; deleting compares exactly.
    In a bucket with versions, deleting a name archives the file: no list shows it, and its contents stay."""

    def settle(self, more=0, person=None):
        n = next(number)
        person = person or f"test{n}"
        self.files = {f"{who}/{name}": who for who in [person, person + "1", "other", *alike(person)] for name in ["a.jpg", "old/b c.jpg"]}
        self.files |= {f"{person}/many/{k:04d}.jpg": person for k in range(more)}
        if not person.isascii():
            self.files |= {f"{person}/\u0301mark.jpg": person, f"{person}/Old/c.jpg": person}
        # The neighbour's name differs by its capitals alone.
        self.files[f"{person.upper()}/of the neighbour.jpg"] = "neighbour"
        self.files[f"copies/{person}/a.jpg"] = "other"
        self.refused, self.lost, self.times = set(), set(), {}
        self.versioning, self.archived = "DISABLED", {}
        return [person]

    def census(self):
        return self.files | self.archived

    def delete(self, name, seen):
        if not seen.get(name):
            return False
        who = self.files.pop(name)
        if self.versioning != "DISABLED":
            self.archived[name] = who
        return True

    def entry(self, name, file):
        if file is None:
            return {"name": name, "id": None, "updated_at": None, "metadata": None}
        tag = hashlib.md5(contents(file)).hexdigest()
        time = f"2026-01-01T00:00:{self.times.get(file, 0):02}.000Z"
        return {"name": name, "id": f"id-{file}", "updated_at": time, "metadata": {"eTag": f'"{tag}"'}}

    def put(self, name):
        """A further file, with a `!` before it one that no deletion takes, with a `?` one of which only the entry is left.

        After a `^`: whether the bucket keeps versions of files, DISABLED, ENABLED or SUSPENDED."""
        if name.startswith("^"):
            self.versioning = name[1:]
            return True
        if name.startswith("!"):
            self.refused.add(name[1:])
        if name.startswith("?"):
            self.lost.add(name[1:])
        self.files[name.lstrip("!?")] = "put"
        self.times[name.lstrip("!?")] = self.times.get(name.lstrip("!?"), 0) + 1
        return True

    def call(self, call, method, path, query, body):
        blind = call.headers.get("authorization") == "Bearer blind"
        if not blind:
            bearer(call, {"statusCode": "403", "error": "Unauthorized", "message": "Invalid Compact JWS"})
        seen = {} if blind else self.files
        missing = Answer(400, {"statusCode": "404", "error": "not_found", "message": "Object not found"})
        if path.startswith("/storage/v1/bucket/") and method == "GET":
            if blind or path != "/storage/v1/bucket/photos":
                raise Answer(400, {"statusCode": "404", "error": "Bucket not found", "message": "Bucket not found"})
            raise Answer(200, {"id": "photos", "name": "photos", "public": False, "versioning_status": self.versioning})
        if path.startswith("/storage/v1/object/list/") and method == "POST":
            seen = seen if path.endswith("/photos") else {}
            below = body["prefix"] if body["prefix"].endswith("/") or not body["prefix"] else body["prefix"] + "/"
            wanted = (below + body.get("search", "")).lower()
            names = {}
            for file in seen:
                if file.lower().startswith(wanted):
                    head, *rest = file[len(below) :].split("/", 1)
                    names[head] = None if rest else file
            entries = [self.entry(name, names[name]) for name in sorted(names, reverse=body.get("sortBy", {}).get("order") == "desc")]
            raise Answer(200, entries[body["offset"] :][: min(body["limit"], 1000)])
        if path.startswith("/storage/v1/object/authenticated/photos/") and method == "GET":
            name = path.removeprefix("/storage/v1/object/authenticated/photos/")
            if name not in seen or name in self.lost:
                raise missing
            found = piece(contents(name), call.headers)
            if found.status != 416:
                raise found
            raise Answer(400, {"statusCode": "416", "error": "InvalidRange", "message": "The range cannot be satisfied"})
        if path.startswith("/storage/v1/object/info/photos/") and method == "GET":
            name = path.removeprefix("/storage/v1/object/info/photos/")
            if name not in seen:
                raise missing
            raise Answer(200, {"id": f"id-{name}", "name": name, "bucket_id": "photos"})
        if path == "/storage/v1/object/photos" and method == "DELETE":
            if len(body["prefixes"]) > 1000 or self.refused & set(body["prefixes"]):
                raise Answer(400, {"statusCode": "400", "error": "InvalidKey", "code": "InvalidKey", "message": "Invalid"})
            raise Answer(200, [{"name": p} for p in body["prefixes"] if self.delete(p, seen)])
        raise Answer(404, {"statusCode": "404", "error": "not_found", "message": "Bucket not found"})


class RevenueCat:
    def settle(self, person=None):
        person = person or f"user{next(number)}"
        self.customers = {c: {"object": "customer", "id": c} for c in [person, person + "1", "other", *alike(person)]}
        self.elsewhere = {}
        return [person]

    def census(self):
        return self.customers

    def first(self, call, method, name):
        """The first interface creates the subscriber that a call names. A key belongs to one project."""
        customers = self.elsewhere
        if call.headers.get("authorization") != "Bearer elsewhere":
            bearer(call, {"code": 7225, "message": "Invalid API Key."})
            customers = self.customers
        known = name in customers
        if method == "DELETE":
            if not known:
                raise Answer(404, {"code": 7259, "message": "Subscriber not found."})
            del customers[name]
            raise Answer(200, {"app_user_id": name, "deleted": True})
        customers.setdefault(name, {"object": "customer", "id": name})
        attributes = {"$email": {"value": f"{name}@example.org"}, "$fcmTokens": {"value": "hidden"}}
        subscriber = {
            "original_app_user_id": name, "entitlements": {}, "subscriptions": {"pro": {"store": "app_store"}},
            "non_subscriptions": {}, "subscriber_attributes": attributes}
        raise Answer(200 if known else 201, {"request_date_ms": 1_700_000_000_000, "subscriber": subscriber})

    def part(self, name, part, path, query):
        """A page of one entry; the next page's address names the last entry."""
        entries = {
            "subscriptions": [{"object": "subscription", "id": f"sub{k} {name}", "customer_id": name} for k in range(3)],
            "purchases": [{"object": "purchase", "id": f"purchase {name}", "customer_id": name}],
            "aliases": [{"object": "customer.alias", "id": name}],
            "attributes": [
                {"object": "customer.attribute", "id": n, "name": n, "value": value}
                for n, value in [("$email", f"{name}@example.org"), ("$fcmTokens", "hidden"), ("team", "red")]],
        }.get(part)
        if name not in self.customers or entries is None:
            raise Answer(404, {"object": "error", "type": "resource_missing", "message": "Not found."})
        after = query.get("starting_after")
        start = 1 + [e["id"] for e in entries].index(after) if after else 0
        here = entries[start : start + 1]
        more = f"{path}?starting_after={urllib.parse.quote(here[0]['id'])}" if start + 1 < len(entries) else None
        raise Answer(200, {"object": "list", "items": here, "next_page": more, "url": path})

    def call(self, call, method, path, query, body):
        if match := re.fullmatch(r"/v1/subscribers/([^/]+)", path):
            self.first(call, method, match[1])
        bearer(call, {"object": "error", "type": "authentication_error", "message": "Invalid API key."})
        if path == "/v2/projects/proj1/customers" and method == "GET":
            every, limit = list(self.customers.values()), int(query.get("limit", 20))
            after = query.get("starting_after")
            start = 1 + [c["id"] for c in every].index(after) if after else 0
            items = every[start : start + limit]
            more = None
            if start + limit < len(every):
                more = f"{path}?starting_after={urllib.parse.quote(items[-1]['id'])}&limit={limit}"
            raise Answer(200, {"object": "list", "items": items, "next_page": more, "url": path})
        if not path.startswith("/v2/projects/proj1/"):
            raise Answer(404, {"object": "error", "type": "resource_missing", "message": "Project not found."})
        if match := re.fullmatch(r"/v2/projects/proj1/customers/([^/]+)/(\w+)", path):
            self.part(match[1], match[2], path, query)
        match = re.fullmatch(r"/v2/projects/proj1/customers/([^/]+)", path)
        customer = match and self.customers.get(match[1])
        if not customer:
            raise Answer(404, {"object": "error", "type": "resource_missing", "message": "Not found."})
        if method == "DELETE":
            del self.customers[match[1]]
            customer = customer | {"deleted_at": 1700000000000}
        raise Answer(200, customer)


class Apple:
    """Answers 200 to the revocation of any token, with an empty body; identifies clients by a signed token. A code
    is valid once."""

    key = ec.generate_private_key(ec.SECP256R1())
    identities = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def settle(self, person=None):
        person = person or f"r.token{next(number)}.canary"
        self.tokens = {person, person + "1", "r.other", person[:-1], person.replace(".", "_"), "r.%", *alike(person)}
        self.codes = {}
        return [person]

    def identify(self, name):
        now = int(time.time())
        claims = {"iss": "https://appleid.apple.com", "aud": "app", "sub": f"apple-{name}", "iat": now, "exp": now + 600}
        claims |= {"email": f"{name}@privaterelay.appleid.com", "email_verified": "true"}
        code = f"c{next(number)} +{name}"
        self.codes[code] = name
        return {"id_token": jwt.encode(claims, self.identities, "RS256", {"kid": "apple-1"}), "code": code}

    def census(self):
        return {token: "good" for token in self.tokens}

    def client(self, form):
        try:
            head, claims, signature = form["client_secret"].split(".")
            raw = base64.urlsafe_b64decode(signature + "==")
            numbers = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
            signed = f"{head}.{claims}".encode()
            self.key.public_key().verify(encode_dss_signature(*numbers), signed, ec.ECDSA(hashes.SHA256()))
            said = json.loads(base64.urlsafe_b64decode(claims + "=="))
            good = (said["iss"], said["sub"], said["aud"]) == ("TEAM", "app", "https://appleid.apple.com")
            good = good and said["sub"] == form["client_id"] and 0 < said["exp"] - said["iat"] <= 15777000
        except Exception:
            good = False
        if not good:
            raise Answer(400, {"error": "invalid_client"})

    def call(self, call, method, path, query, body):
        if path == "/auth/keys":
            known = jwt.algorithms.RSAAlgorithm.to_jwk(self.identities.public_key(), as_dict=True)
            raise Answer(200, {"keys": [known | {"kid": "apple-1", "alg": "RS256", "use": "sig"}]})
        self.client(body)
        if path == "/auth/revoke":
            self.tokens.discard(body["token"])
            raise Answer(200, None)
        token = {"access_token": "a", "token_type": "Bearer", "expires_in": 3600, "id_token": "i"}
        if path == "/auth/token" and body.get("grant_type") == "authorization_code":
            name = self.codes.pop(body["code"], None)
            if name:
                self.tokens.add(f"r.{name}")
                raise Answer(200, token | {"refresh_token": f"r.{name}"})
        elif path == "/auth/token" and body["refresh_token"] in self.tokens:
            raise Answer(200, token)
        raise Answer(400, {"error": "invalid_grant", "error_description": "The token has expired or been revoked."})


vendors = {
    "stripe": Stripe(),
    "supabase-auth": SupabaseAuth(),
    "supabase-storage": SupabaseStorage(),
    "revenuecat": RevenueCat(),
    "apple": Apple(),
} | firebase
for vendor in vendors.values():
    vendor.settle()


class Stalls:
    """Deletions that are held while the calling process is killed."""

    def __init__(self):
        self.bell = threading.Condition()
        self.release()

    def release(self):
        with self.bell:
            self.wanted, self.arrived, self.epoch = {}, set(), object()
            self.bell.notify_all()

    def next(self, method, path):
        if method != "DELETE" and not path.endswith(("accounts:delete", ":batchWrite", "/auth/revoke")):
            return None
        with self.bell:
            return self.wanted.pop(path.split("/")[1], None)

    def hold(self, kind):
        with self.bell:
            epoch = self.epoch
            self.arrived.add(kind)
            self.bell.notify_all()
            self.bell.wait_for(lambda: self.epoch is not epoch)
        raise ConnectionAbortedError

    def control(self, path, text):
        verb, _, kind = path.removeprefix("/control/").partition("/")
        with self.bell:
            if verb == "stall":
                self.wanted[kind] = text
            elif verb == "stalled":
                return self.bell.wait_for(lambda: kind in self.arrived, timeout=60)
        if verb == "release":
            self.release()
        return True


stalls = Stalls()


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer in one piece: in two, the second waits for the first to be acknowledged.
    wbufsize = 1 << 16

    def serve(self):
        length = int(self.headers.get("content-length") or 0)
        text = self.rfile.read(length).decode()
        parts = urllib.parse.urlsplit(self.path)
        stall = stalls.next(self.command, parts.path)
        try:
            if stall == "before":
                stalls.hold(parts.path.split("/")[1])
            if parts.path.startswith(("/control/stall", "/control/release")):
                raise Answer(200, stalls.control(parts.path, text))
            with lock:
                self.take(urllib.parse.unquote(parts.path), dict(urllib.parse.parse_qsl(parts.query)), text)
        except Answer as answer:
            if stall:
                stalls.hold(parts.path.split("/")[1])
            value = None if answer.value is NULL else answer.value
            body = b"" if answer.value is None else json.dumps(value, sort_keys=True).encode()
            body = body if answer.data is None else answer.data
            self.send_response(answer.status)
            for name, text in answer.headers.items():
                self.send_header(name, text)
            if answer.value is not None or answer.data is not None:
                self.send_header("content-type", answer.kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def take(self, path, query, text):
        # Where a vendor's own client looks for an emulator.
        if "ns" in query:
            path = "/realtime-database" + path
        _, first, rest = path.replace("/identitytoolkit.googleapis.com/", "/firebase-auth/").split("/", 2)
        if first == "control":
            verb, kind = rest.split("/")
            if verb == "hold":
                raise Answer(200, vendors[kind].held.add(text) or [])
            if verb == "identify":
                raise Answer(200, vendors[kind].identify(text))
            if verb == "settle":
                raise Answer(200, vendors[kind].settle(*([int(text)] if text else []), **query))
            if verb == "put":
                raise Answer(200, vendors[kind].put(text))
            if verb != "census":
                raise Answer(200, getattr(vendors[kind], verb)())
            raise Answer(200, {plain(k): json.dumps(v, sort_keys=True) for k, v in vendors[kind].census().items()})
        body = {}
        if "json" in self.headers.get("content-type", ""):
            body = json.loads(text or "{}")
        elif text:
            body = dict(urllib.parse.parse_qsl(text))
        vendors[first].call(self, self.command, "/" + rest, query, body)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = serve

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Front)
threading.Thread(target=server.serve_forever, daemon=True).start()
root = f"http://127.0.0.1:{server.server_port}"
pem = Apple.key.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()
facts = {"endpoint": root, "control": root + "/control", "apple": pem, "key": KEY}
print(json.dumps(facts | {"service_account": json.dumps(google.file(root))}), flush=True)
sys.stdin.read()
os._exit(0)
