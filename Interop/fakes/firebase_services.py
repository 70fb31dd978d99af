# SPDX-License-Identifier: Apache-2.0
"""Small fakes of Firebase's services, made from their documented REST requests and replies, quirks included:
pages that are shorter than requested, batches that fail in part, missing documents with documents below them.

`vendors.py` serves them; the published clients of the vendor call them in `firebase_clients.py`.
"""

import base64
import json
import re
import urllib.parse

import jwt
from answer import NULL, Answer, alike, contents, number, piece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

PROJECT = "farewell-test"
WHEN = "2026-01-02T03:04:05.678901Z"


def error(status, word, message="", reason=""):
    value = {"code": status, "message": message or word, "status": word}
    if reason:
        value = {"code": status, "message": message or word, "errors": [{"domain": "global", "reason": reason}]}
    return Answer(status, {"error": value})


class Google:
    """Issues tokens to a service account with a signed assertion, and knows the scope of each."""

    account = "farewell@farewell-test.iam.gserviceaccount.com"
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    tokens = {"owner": "everything, for emulators"}
    granted = 0

    def file(self, root):
        pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return {
            "type": "service_account", "project_id": PROJECT, "private_key_id": "canary-key-id",
            "private_key": pem.decode(), "client_email": self.account, "client_id": "1",
            "token_uri": f"{root}/google/token",
        }

    def settle(self):
        """Every token is forgotten before its time."""
        self.tokens = {"owner": self.tokens["owner"]}
        return []

    def census(self):
        return {"granted": self.granted}

    def call(self, call, method, path, query, body):
        if path != "/token" or body.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer":
            raise Answer(400, {"error": "unsupported_grant_type", "error_description": "Invalid grant_type"})
        try:
            # Its clock may be another one; how long the statement is good for is looked at.
            said = jwt.decode(
                body["assertion"], self.key.public_key(), algorithms=["RS256"],
                audience="https://oauth2.googleapis.com/token", issuer=self.account,
                options={"verify_exp": False, "verify_iat": False, "require": ["exp", "iat", "scope"]})
        except jwt.PyJWTError:
            raise Answer(400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}) from None
        if not 0 < said["exp"] - said["iat"] <= 3600:
            raise Answer(400, {"error": "invalid_grant", "error_description": "Invalid JWT: a reasonable timeframe"})
        self.granted += 1
        token = f"ya29.canary-{next(number)}"
        self.tokens[token] = said["scope"]
        raise Answer(200, {"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    def check(self, call, *scopes):
        granted = self.tokens.get((call.headers.get("authorization") or "").removeprefix("Bearer "))
        if not granted:
            raise error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        known = [*scopes, "cloud-platform", "everything"]
        if not any(word.rsplit("/", 1)[-1].rstrip(",") in known for word in granted.split()):
            raise error(403, "PERMISSION_DENIED", "Request had insufficient authentication scopes.")


google = Google()


class Authentication:
    """`accounts:lookup` leaves the list of users out where there is none; `accounts:delete` says so.
    `accounts:batchGet` lists those of the project or of the tenant page by page.

    The project has users of its own and two tenants with theirs; users of different tenants may have the same identifier.
    """

    tenants = ("farewell-tenant", "farewell-tenanT")
    # Whether its configuration allows tenants, as the plan's systems expect it unless a test says otherwise.
    allows = False

    def allow(self, text):
        self.allows = text == "yes"
        return True

    def settle(self, person=None):
        person = person or f"test{next(number)}"
        self.users = {
            self.place(tenant, u): {"localId": u, "email": f"{u}@example.org", "passwordHash": "hidden", "salt": "hidden",
                "passwordUpdatedAt": 1.5e12} | ({"tenantId": tenant} if tenant else {})
            for tenant in [None, *self.tenants] for u in [person, person + "1", "other", *alike(person)]}
        return [person]

    @staticmethod
    def place(tenant, user):
        return f"{tenant}/{user}" if tenant else user

    def census(self):
        return self.users

    def call(self, call, method, path, query, body):
        if path == f"/v2/projects/{PROJECT}/config" and method == "GET":
            google.check(call)
            raise Answer(200, {"name": f"projects/{PROJECT}/config", "subtype": "IDENTITY_PLATFORM",
                "multiTenant": {"allowTenants": self.allows}})
        google.check(call, "identitytoolkit", "firebase")
        match = re.fullmatch(r"/v1/projects/([^/]+)(?:/tenants/([^/]+))?/accounts:(\w+)", path)
        is_list = bool(match) and match[3] == "batchGet"
        if not match or method != ("GET" if is_list else "POST") or "accounts:" not in call.path:
            raise Answer(404, "<html>Not Found</html>", "text/html")
        project, tenant, verb = match.groups()
        if project != PROJECT:
            raise error(400, "CONFIGURATION_NOT_FOUND")
        if tenant not in [None, *self.tenants]:
            raise error(400, "INVALID_ARGUMENT", "TENANT_NOT_FOUND : No such tenant.")
        here = [user for user in self.users.values() if user.get("tenantId") == tenant]
        if is_list:
            count, start = int(query.get("maxResults", 20)), int(query.get("nextPageToken", 0))
            if not 1 <= count <= 1000:
                raise error(400, "INVALID_ARGUMENT", "maxResults must be from 1 to 1000.")
            here.sort(key=lambda user: user["localId"].encode())
            page = here[start : start + count]
            more = {"nextPageToken": str(start + count)} if start + count < len(here) else {}
            raise Answer(200, {"kind": "identitytoolkit#DownloadAccountResponse"} | ({"users": page} if page else {}) | more)
        if verb == "lookup":
            users = [u for u in here if u["localId"] in body.get("localId", []) or u["email"] in body.get("email", [])]
            raise Answer(200, {"kind": "identitytoolkit#GetAccountInfoResponse"} | ({"users": users} if users else {}))
        if verb == "delete":
            if not self.users.pop(self.place(tenant, body.get("localId")), None):
                raise Answer(400, {"error": {"code": 400, "message": "USER_NOT_FOUND", "errors": [
                    {"message": "USER_NOT_FOUND", "domain": "global", "reason": "invalid"}]}})
            raise Answer(200, {"kind": "identitytoolkit#DeleteAccountResponse"})
        raise error(400, "OPERATION_NOT_ALLOWED")


class Firestore:
    """Deleting a document leaves the documents below it; a list of documents can include missing ones."""

    root = f"projects/{PROJECT}/databases/(default)/documents"

    def settle(self, more=0, person=None):
        n = next(number)
        self.documents, self.troubled = {}, set()
        person = person or f"test{n}"
        for who in [person, person + "1", "other", *alike(person)]:
            owned = {"owner": {"stringValue": who}, "number": {"integerValue": str(n if who == person else n * 10 + 1)}}
            self.documents |= {
                f"users/{who}": owned, f"users/{who}/notes/a": self.note(who), f"users/{who}/notes/b": {},
                # Nothing is at users/…/chats/c, and something is below it.
                f"users/{who}/chats/c/messages/m1": {}, f"users/{who}/chats/c/messages/m2": {},
                f"users/{who}/a b/c%2Fd": {},
                f"diaries/{who}/days/1": {}, f"diaries/{who}/days/2/pictures/p": {}, f"diaries/{who}": {},
                f"posts/of-{who}": {"author": {"referenceValue": f"{self.root}/users/{who}"}},
                f"teams/of-{who}": {"list": {"arrayValue": {"values": [{"stringValue": who}, {"stringValue": "common"}]}},
                    "map": {"mapValue": {"fields": {who: {"integerValue": "1"}, "common": {"integerValue": "2"}}}}},
                f"orders/of-{who}": owned, f"orders/of-{who}/lines/1": {}, f"shops/s/orders/at-{who}": owned,
            }
        self.documents["orders/longer"] = {"owner": {"stringValue": person + "1"}, "friend": {"stringValue": person}}
        self.documents |= {f"users/{person}/many/{k:05d}": {} for k in range(more)}
        for k in range(min(more, 40)):
            value = {"integerValue": str(k % 3)} if k % 3 else {"nullValue": None}
            self.documents[f"teams/more-{k}"] = {
                "list": self.documents[f"teams/of-{person}"]["list"],
                "map": {"mapValue": {"fields": {person: value, "common": {"integerValue": "2"}}}}}
        self.person = person
        return [person]

    def note(self, who):
        """A document with values of every type, two names that Unicode considers equal, and secrets."""
        inner = {"device": {"mapValue": {"fields": {"pushToken": {"stringValue": "hidden"}, "tokens": {"integerValue": "7"}}}}}
        return {
            "text": {"stringValue": f"of {who}"}, "caf\u00e9": {"doubleValue": -0.0}, "cafe\u0301": {"doubleValue": "NaN"},
            "at": {"timestampValue": WHEN}, "place": {"geoPointValue": {"latitude": 1.5, "longitude": -2}},
            "bytes": {"bytesValue": "AAE="}, "none": {"nullValue": None}, "hasPassword": {"booleanValue": True},
            "apiKey": {"stringValue": "hidden"}, "otp": {"integerValue": "123456"},
            "list": {"arrayValue": {"values": [{"mapValue": {"fields": inner}}]}},
        }

    def deepen(self):
        """A document fifty-five collections below one that is not there, with nothing between."""
        self.documents[f"users/{self.person}deep/" + "/".join(["c/d"] * 55)] = {}
        return True

    def census(self):
        return self.documents

    def name(self, path):
        return f"{self.root}/{path}"

    def told(self, path):
        if path not in self.documents:
            return {"name": self.name(path)}
        return {"name": self.name(path), "createTime": WHEN, "updateTime": WHEN}

    def call(self, call, method, path, query, body):
        google.check(call, "datastore")
        place, _, verb = urllib.parse.urlsplit(call.path).path.partition("/v1/")[2].partition(":")
        place = "/".join(urllib.parse.unquote(part) for part in place.split("/"))
        if not place.startswith(self.root):
            raise error(404, "NOT_FOUND", "The database does not exist.")
        below = place[len(self.root) + 1 :]
        if verb:
            raise Answer(200, getattr(self, "on_" + verb, self.unknown)(below, body))
        if method == "GET" and below.count("/") % 2 == 0:
            raise Answer(200, self.listed(below, query))
        if method == "DELETE":
            self.documents.pop(below, None)
            raise Answer(200, {})
        if below not in self.documents:
            raise error(404, "NOT_FOUND", f'Document "{place}" not found.')
        raise Answer(200, self.told(below) | {"fields": self.documents[below]})

    def at(self, document, path):
        """The value at a path of fields, with backticks around fields with special characters."""
        value = {"mapValue": {"fields": self.documents[document]}}
        for part in re.findall(r"`((?:[^`\\]|\\.)*)`|([^.`]+)", path):
            name = re.sub(r"\\(.)", r"\1", part[0]) or part[1]
            value = value.get("mapValue", {}).get("fields", {}).get(name) if value else None
        return value

    def unknown(self, *_):
        raise Answer(404, "<html>Not Found</html>", "text/html")

    def listed(self, collection, query):
        depth = collection.count("/") + 2
        every = sorted({"/".join(d.split("/")[:depth]) for d in self.documents if d.startswith(collection + "/")})
        if query.get("showMissing") != "true":
            every = [d for d in every if d in self.documents]
        after = base64.b64decode(query.get("pageToken", "")).decode()
        every = [d for d in every if d > after]
        # A page may be shorter than was asked for.
        page = every[: min(int(query.get("pageSize") or 300), 2)]
        answer = {"documents": [self.told(d) for d in page]} if page else {}
        if len(every) > len(page):
            answer["nextPageToken"] = base64.b64encode(page[-1].encode()).decode()
        return answer

    def on_listCollectionIds(self, document, body):
        start = document + "/" if document else ""
        depth = start.count("/")
        every = sorted({d.split("/")[depth] for d in self.documents if d.startswith(start)})
        every = [c for c in every if c > body.get("pageToken", "")]
        page = every[: min(body.get("pageSize") or 100, 2)]
        more = {"nextPageToken": page[-1]} if len(every) > len(page) else {}
        return ({"collectionIds": page} if page else {}) | more

    def on_runQuery(self, parent, body):
        asked = body["structuredQuery"]
        [source] = asked["from"]
        start = parent + "/" if parent else ""
        depth = start.count("/")

        def is_meant(document):
            parts = document.split("/")
            if not document.startswith(start) or source.get("collectionId", parts[-2]) != parts[-2]:
                return False
            if not source.get("allDescendants") and len(parts) != depth + 2:
                return False
            if "where" not in asked:
                return True
            if "unaryFilter" in asked["where"]:
                # IS_NOT_NULL: a field with the value null is as little found as one that is not there.
                value = self.at(document, asked["where"]["unaryFilter"]["field"]["fieldPath"])
                return value is not None and "nullValue" not in value
            wanted = asked["where"]["fieldFilter"]
            if wanted["op"] == "ARRAY_CONTAINS":
                values = (self.at(document, wanted["field"]["fieldPath"]) or {}).get("arrayValue", {}).get("values", [])
                return wanted["value"] in values
            # Names of values may be written as numbers, as in all of proto3's JSON.
            if wanted["op"] not in ("EQUAL", 5):
                raise error(400, "INVALID_ARGUMENT")
            return self.documents[document].get(wanted["field"]["fieldPath"]) == wanted["value"]

        def shown(document):
            """With all fields, or the chosen ones."""
            chosen = [field["fieldPath"] for field in asked.get("select", {}).get("fields", [])]
            if chosen == ["__name__"]:
                return self.told(document)
            fields = self.documents[document]
            if chosen:
                above, _, below = chosen[0].partition(".")
                fields = {above: fields[above]} if above in fields else {}
                if below and fields:
                    name = below.strip("`")
                    fields = {above: {"mapValue": {"fields": {name: fields[above]["mapValue"]["fields"][name]}}}}
            return self.told(document) | {"fields": fields}

        found = sorted((d for d in self.documents if is_meant(d)), key=lambda d: d.split("/"))
        order = asked.get("orderBy", [{"field": {"fieldPath": "__name__"}}])[0]
        path = order["field"]["fieldPath"]
        if path != "__name__":
            # All of one type stand together, in this order.
            kinds = ["nullValue", "booleanValue", "integerValue", "stringValue", "referenceValue", "arrayValue", "mapValue"]
            found = [d for d in found if self.at(d, path) is not None]
            rank = lambda value: (kinds.index(next(iter(value))), json.dumps(value))
            found = sorted(found, key=lambda d: rank(self.at(d, path)), reverse=order.get("direction") == "DESCENDING")
            if "startAt" in asked:
                value, last = asked["startAt"]["values"]
                last = rank(value), last["referenceValue"][len(self.root) + 1 :].split("/")
                found = [d for d in found if (rank(self.at(d, path)), d.split("/")) > last]
            found = found[asked.get("offset", 0) :][: asked.get("limit", len(found))]
            return [{"document": shown(d), "readTime": WHEN} for d in found] + [{"readTime": WHEN}]
        if "startAt" in asked:
            last = asked["startAt"]["values"][0]["referenceValue"][len(self.root) + 1 :]
            found = [d for d in found if d.split("/") > last.split("/")]
        found = found[asked.get("offset", 0) :][: asked.get("limit", len(found))]
        # It also reports the documents that it reads on the way.
        return [{"document": shown(d), "readTime": WHEN} for d in found] + [{"readTime": WHEN}]

    def on_batchGet(self, _, body):
        paths = [name[len(self.root) + 1 :] for name in body["documents"]]
        only_names = body.get("mask", {}).get("fieldPaths") == ["__name__"]
        told = lambda p: self.told(p) | ({} if only_names else {"fields": self.documents[p]})
        # In any order.
        return [
            {"found": told(p), "readTime": WHEN} if p in self.documents
            else {"missing": self.name(p), "readTime": WHEN} for p in reversed(paths)
        ]

    def on_batchWrite(self, _, body):
        if len(body["writes"]) > 500:
            raise error(400, "INVALID_ARGUMENT", "maximum 500 writes allowed per request")
        states = []
        for place, write in enumerate(body["writes"]):
            name = write.get("delete") or write.get("transform", {}).get("document") or write["update"]["name"]
            path = name[len(self.root) + 1 :]
            if write.get("currentDocument", {}).get("exists") and path not in self.documents:
                states.append({"code": 5, "message": f"No document to update: {name}"})
                continue
            # Every third write conflicts with another client's, the first time.
            if place % 3 == 2 and path not in self.troubled:
                self.troubled.add(path)
                states.append({"code": 10, "message": "Too much contention on these documents."})
            else:
                self.change(path, write)
                states.append({})
        return {"writeResults": [{} if s else {"updateTime": WHEN} for s in states], "status": states}


    def change(self, path, write):
        if "delete" in write:
            self.documents.pop(path, None)
        for transform in write.get("transform", {}).get("fieldTransforms", []):
            values = self.at(path, transform["fieldPath"])["arrayValue"]["values"]
            values[:] = [v for v in values if v not in transform["removeAllFromArray"]["values"]]
        for masked in write.get("updateMask", {}).get("fieldPaths", []):
            above, _, name = masked.partition(".")
            self.at(path, above)["mapValue"]["fields"].pop(name.strip("`"), None)


class Storage:
    """Lists only live objects unless versions are requested; a slash in an object's name is encoded in its address."""

    bucket = "farewell-test.appspot.com"

    def settle(self, more=0, person=None):
        n = next(number)
        person = person or f"test{n}"
        self.objects, self.held, self.troubled, self.generation = {}, set(), False, 0
        for who in [person, person + "1", "other", *alike(person)]:
            for name in ["a.jpg", "a.jpg", "old/b c.jpg", "q?#&+%2F.jpg"]:
                self.put(f"users/{who}/{name}")
        self.put(f"copies/users/{person}/a.jpg")
        for k in range(more):
            self.put(f"users/{person}/many/{k}")
        return [person]

    def put(self, name):
        for key in self.objects:
            if key.rsplit("#", 1)[0] == name:
                self.objects[key]["timeDeleted"] = WHEN
        self.generation += 1
        value = {"kind": "storage#object", "name": name, "bucket": self.bucket, "generation": str(self.generation)}
        self.objects[f"{name}#{self.generation}"] = value
        return True

    def census(self):
        return self.objects

    def call(self, call, method, path, query, body):
        google.check(call, "devstorage.read_write", "devstorage.full_control")
        written = urllib.parse.urlsplit(call.path).path.partition("/storage/v1/b/")[2]
        bucket, _, rest = written.partition("/o")
        if urllib.parse.unquote(bucket) != self.bucket:
            raise error(404, "notFound", "The specified bucket does not exist.", "notFound")
        if not rest and method == "GET":
            raise Answer(200, self.listed(query))
        # Slashes that are not encoded lead nowhere.
        name = urllib.parse.unquote(rest[1:]) if rest.count("/") == 1 else ""
        live = [k for k, o in self.objects.items() if o["name"] == name and "timeDeleted" not in o]
        key = f"{name}#{query['generation']}" if "generation" in query else next(iter(live), "")
        if key not in self.objects or method not in ("DELETE", "GET"):
            raise error(404, "notFound", "No such object", "notFound")
        if method == "GET" and query.get("alt") != "media":
            raise Answer(200, self.objects[key])
        if method == "GET":
            raise piece(contents(name), call.headers)
        if key in self.held:
            raise error(403, "forbidden", "Object is under active hold.", "objectUnderActiveHold")
        if not self.troubled:
            self.troubled = True
            raise error(503, "backendError", "Backend Error", "backendError")
        del self.objects[key]
        raise Answer(204)

    def listed(self, query):
        every = [
            (key, value) for key, value in sorted(self.objects.items())
            if value["name"].startswith(query.get("prefix", ""))
            and value["name"] >= query.get("startOffset", "")
            and (query.get("versions", "").lower() == "true" or "timeDeleted" not in value)
        ]
        folders = []
        if "delimiter" in query:
            beginning, sign = query.get("prefix", ""), query["delimiter"]
            inside = [e for e in every if sign in e[1]["name"][len(beginning) :]]
            folders = sorted({beginning + e[1]["name"][len(beginning) :].split(sign)[0] + sign for e in inside})
            every = [e for e in every if e not in inside]
        every = [e for e in every if e[0] > query.get("pageToken", "")]
        page = every[: min(int(query.get("maxResults", 1000)), 3 if len(every) < 20 else 1000)]
        answer = {"kind": "storage#objects"} | ({"items": [value for _, value in page]} if page else {})
        answer |= {"prefixes": folders} if folders else {}
        if len(every) > len(page):
            answer["nextPageToken"] = page[-1][0]
        wanted = query.get("fields")
        if wanted:
            names = re.search(r"items\(([^)]*)\)|items/name", wanted)
            keep = names[1].split(",") if names and names[1] else None
            for place, item in enumerate(answer.get("items", [])):
                answer["items"][place] = {k: v for k, v in item.items() if not keep or k in keep}
            answer = {k: v for k, v in answer.items() if re.search(rf"\b{k}\b", wanted)}
        return answer


class Realtime:
    """One tree of JSON. It refuses slow deletions if the caller requests that."""

    def settle(self, more=0, person=None):
        n = next(number)
        person = person or f"test{n}"
        self.tree = {"users": {}, "scores": {}}
        for who in [person, person + "1", "other", *alike(person)]:
            self.tree["users"][who] = {"name": who, "notes": {"a": {"text": "x", "push_token": "hidden"}, "b": True}, "last seen": 1}
            self.tree["scores"][who] = 7
        if more:
            self.tree["users"][person]["many"] = {f"k{k}": k for k in range(more)}
        return [person]

    def census(self):
        return {f"{top}/{who}": value for top, people in self.tree.items() for who, value in people.items()}

    def call(self, call, method, path, query, body):
        google.check(call, "firebase.database")
        if not path.endswith(".json"):
            raise Answer(404, {"error": "404 Not Found"})
        parts = [p for p in path.removesuffix(".json").split("/") if p]
        above, value = None, self.tree
        for part in parts:
            above, value = value, value.get(part) if isinstance(value, dict) else None
        if method == "DELETE":
            if query.get("writeSizeLimit") == "small" and self.size(value) > 8:
                raise Answer(400, {"error": "The write takes longer than writeSizeLimit allows."})
            if isinstance(above, dict):
                above.pop(parts[-1], None)
                self.prune(self.tree)
            raise Answer(200, NULL)
        if method in ("PUT", "PATCH"):
            here = self.tree
            for part in parts[:-1]:
                here = here.setdefault(part, {})
            here[parts[-1]] = body
            raise Answer(200, body)
        if "orderBy" in query and "equalTo" not in query:
            first = sorted(value or {})[: int(query.get("limitToFirst", 1000))]
            raise Answer(200, {k: value[k] for k in first} if first else NULL)
        if "orderBy" in query:
            wanted = json.loads(query["equalTo"])
            if query["orderBy"] != '"$key"':
                raise Answer(400, {"error": "Index not defined"})
            value = {k: v for k, v in (value or {}).items() if k == wanted}
            raise Answer(200, value)
        if query.get("shallow") == "true" and isinstance(value, dict):
            value = {key: True for key in value}
        raise Answer(200, NULL if value is None else value)

    def size(self, value):
        return sum(map(self.size, value.values())) if isinstance(value, dict) else 1

    def prune(self, value):
        """Removes empty objects."""
        for key in [k for k, v in value.items() if isinstance(v, dict)]:
            self.prune(value[key])
            if not value[key]:
                del value[key]


firebase = {
    "google": google, "firebase-auth": Authentication(), "firestore": Firestore(), "firebase-storage": Storage(),
    "realtime-database": Realtime(),
}
