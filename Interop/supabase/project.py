# SPDX-License-Identifier: Apache-2.0
"""A fake Supabase project: the database of this folder's SQL, and Storage and Auth's operator routes over it.

    python Interop/supabase/project.py SUPERUSER_ADDRESS [--people 3]      0 people: without the app of app.sql

SUPERUSER_ADDRESS is a PostgreSQL server for tests (`Scripts/postgres`). It makes a database of its own there, prints one
line of JSON and drops the database when its standard input ends:

    database   the address as the role `postgres`, which is not a superuser; `superuser` is the other one
    endpoint   http://127.0.0.1:PORT, with /storage/v1 and /auth/v1 below
    service, anon, secret   the legacy keys (HS256), and the secret that signs them and all users' tokens
    secret_key, publishable_key   the newer keys, which are no tokens and go into `apikey` alone
    people     the users: id, email, name, token; their files are in their folder and outside it

    GET  /control/files               every file of the object store, "bucket/name", without a look at rows
    POST /control/sql                 the body run by a superuser; its answer
    POST /control/refuse/BUCKET/NAME  no deletion takes that file
    POST /control/status/CODE         every further call is answered with CODE, until 0
    POST /control/token               a user's token: {"sub": …, "alg": "HS256" or "ES256", "life": …, "age": …, "claims": {…}}
    POST /control/function/NAME       from now on the function of that name is called at the address in the body
    POST /control/move                the project moves from its secret to signing keys: they are published now

The routes behave like the vendor's, with the vendor's own SQL: a list runs `storage.search` as the role of the
key (so row security limits it, and an unknown bucket is an empty one); deleting sets
`storage.allow_delete_query`; deleting a user writes an entry with their address into the log of Auth.
"""

import http.client
import http.server
import json
import pathlib
import re
import signal
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

FOLDER = pathlib.Path(__file__).resolve().parent
SECRET = "super-secret-jwt-token-with-at-least-32-characters-long"
SECRET_KEY, PUBLISHABLE_KEY = "sb_secret_replica0123456789_abcdefgh", "sb_publishable_replica0123456789_abcdefgh"
SECRET_NAME = "IBZFPqpuE0oC+hnZ"  # as hosted projects name their secret; nothing publishes it
NOBODY = "00000000-0000-0000-0000-000000000000"
ZONE = int(time.time()) - 60


class Refused(Exception):
    def __init__(self, status, error, message, code=None):
        self.status = status
        self.value = {"statusCode": str(code or status), "error": error, "message": message}


def token(**claims):
    return jwt.encode({"iss": "supabase", "ref": "replica", "iat": ZONE, "exp": ZONE + 10 * 365 * 86400} | claims, SECRET)


class Database:
    def __init__(self, server):
        parts = urllib.parse.urlsplit(server)
        self.name = "project_" + uuid.uuid4().hex[:12]
        self.server = server
        self.host = parts.netloc.rpartition("@")[2]
        self.superuser = parts._replace(path="/" + self.name).geturl()

    def address(self, role):
        return f"postgresql://{role}@{self.host}/{self.name}"

    def run(self, address, text, **values):
        """Rows as text; values reach the text as psql's variables (:'name')."""
        variables = [word for name, value in values.items() for word in ("-v", f"{name}={value}")]
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *variables, address],
            input=text, capture_output=True, text=True, check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.rstrip("\n")

    def rows(self, address, query, before="", **values):
        found = self.run(address, f"BEGIN; {before} SELECT coalesce(jsonb_agg(r), '[]') FROM ({query}) AS r; COMMIT;", **values)
        return json.loads(found.splitlines()[-1])

    def create(self, without_app):
        self.run(self.server, f'CREATE DATABASE "{self.name}"')
        steps = [
            (self.superuser, "roles.sql"), (self.address("supabase_admin"), "schemas.sql"),
            (self.address("supabase_auth_admin"), "auth.sql"), (self.address("supabase_storage_admin"), "storage.sql"),
            (self.address("supabase_admin"), "realtime.sql"), (self.address("supabase_admin"), "services.sql"),
            (self.superuser, "app.sql"),
        ]
        for address, file in steps[:-1] if without_app else steps:
            if file == "schemas.sql":
                self.run(self.superuser, f'GRANT ALL ON DATABASE "{self.name}" TO postgres')
            text = (FOLDER / file).read_text()
            self.run(address, "SET ROLE postgres;\n" + text if file == "app.sql" else text)

    def drop(self):
        self.run(self.server, f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


class Project:
    def __init__(self, server, count):
        self.database = Database(server)
        self.database.create(without_app=count == 0)
        self.files, self.refused, self.status = set(), set(), 0
        self.service, self.anon = token(role="service_role"), token(role="anon")
        self.functions = {}
        self.signing, self.published = ec.generate_private_key(ec.SECP256R1()), False
        self.lock = threading.RLock()
        self.people = []
        for n in range(1, count + 1):
            who = f"a1b2c3d4-0000-4000-8000-{n:012d}"
            self.people.append({"id": who, "email": f"person{n}@example.org", "name": f"Person {n:03d}"})
        if count == 0:
            self.database.run(
                self.database.superuser, "INSERT INTO storage.buckets (id, name, public) VALUES ('photos', 'photos', false)"
            )
            return
        people = json.dumps(self.people)
        self.database.run(self.database.superuser, (FOLDER / "people.sql").read_text(), people=people)
        for person in self.people:
            person["token"] = token(
                sub=person["id"], role="authenticated", aud="authenticated", email=person["email"], session_id=str(uuid.uuid4())
            )
            self.settle(person)

    def settle(self, person):
        """Files in one's folder, outside it, in another bucket, one beside a folder that differs by capitals alone, and one
        that another user put into the user's folder."""
        who = person["id"]
        if person is self.people[-1] and len(self.people) > 2:
            return self.database.run(
                self.database.superuser, "UPDATE storage.buckets SET owner = :'who', owner_id = :'who' WHERE id = 'avatars'",
                who=who,
            )
        self.upload("avatars", f"{who}/face.png", who)
        self.upload("documents", f"{who}/cv/2026.pdf", who)
        self.upload("documents", f"shared/by {person['name']}.txt", who)
        self.upload("avatars", f"{who}/given.png", None)
        return None

    def upload(self, bucket, name, owner):
        version = str(uuid.uuid4())
        self.database.run(
            self.database.superuser,
            "INSERT INTO storage.objects (bucket_id, name, owner, owner_id, version, metadata)"
            " VALUES (:'bucket', :'name', nullif(:'owner', '')::uuid, nullif(:'owner', ''), :'version', '{\"size\": 3}')"
            " ON CONFLICT (bucket_id, name) WHERE archived_at IS NULL DO UPDATE SET version = excluded.version, owner_id = excluded.owner_id",
            bucket=bucket, name=name, owner=owner or "", version=version,
        )
        self.files.add(f"{bucket}/{name}")

    def facts(self, endpoint):
        return {
            "database": self.database.address("postgres"), "superuser": self.database.superuser, "endpoint": endpoint,
            "service": self.service, "anon": self.anon, "secret": SECRET, "people": self.people,
            "secret_key": SECRET_KEY, "publishable_key": PUBLISHABLE_KEY,
        }

    # MARK: Who asks

    def claims(self, headers):
        try:
            word = headers.get("authorization", "").removeprefix("Bearer ")
            # The gateway makes a token of a newer key, and takes it in apikey alone.
            if not word:
                word = {SECRET_KEY: self.service, PUBLISHABLE_KEY: self.anon}.get(headers.get("apikey"), "")
            return jwt.decode(word, SECRET, algorithms=["HS256"], options={"verify_aud": False})
        except jwt.PyJWTError as error:
            raise Refused(400, "Unauthorized", "Invalid Compact JWS", 403) from error

    def as_role(self, claims):
        """Sets a session up for a caller, like the service."""
        return "SET LOCAL ROLE :\"role\"; SELECT set_config('request.jwt.claims', :'claims', true);", {
            "role": claims["role"], "claims": json.dumps(claims)
        }

    def ask(self, claims, query, before="", **values):
        role, more = self.as_role(claims)
        address = self.database.address("authenticator")
        return self.database.rows(address, query, role + before, **values, **more)

    # MARK: Storage

    def storage(self, method, path, body, headers):
        claims = self.claims(headers)
        missing = Refused(400, "not_found", "Object not found", 404)
        if method == "GET" and path == "/bucket":
            return self.ask(claims, "SELECT id, name, owner, public, created_at, updated_at FROM storage.buckets")
        if match := re.fullmatch(r"/bucket/([^/]+)", path):
            found = self.ask(
                claims, "SELECT id, name, owner, public, versioning_status FROM storage.buckets WHERE id = :'bucket'", bucket=match[1]
            )
            if method != "GET" or not found:
                raise Refused(400, "Bucket not found", "Bucket not found", 404)
            return found[0]
        if (match := re.fullmatch(r"/object/list/([^/]+)", path)) and method == "POST":
            prefix = body["prefix"] + ("/" if body["prefix"] and not body["prefix"].endswith("/") else "")
            sort = body.get("sortBy") or {}
            return self.ask(
                claims,
                "SELECT * FROM storage.search(:'prefix', :'bucket', :limit, 1, :offset, :'search', :'column', :'order')",
                prefix=prefix, bucket=match[1], limit=int(body.get("limit", 100)), offset=int(body.get("offset", 0)),
                search=body.get("search") or "", column=sort.get("column") or "name", order=sort.get("order") or "asc",
            )
        if (match := re.fullmatch(r"/object/info/([^/]+)/(.+)", path)) and method == "GET":
            found = self.ask(
                claims, "SELECT id, name, version, bucket_id, metadata FROM storage.objects"
                " WHERE bucket_id = :'bucket' AND name = :'name' AND archived_at IS NULL AND NOT is_delete_marker",
                bucket=match[1], name=match[2],
            )
            if not found:
                raise missing
            return found[0]
        if (match := re.fullmatch(r"/object/([^/]+)", path)) and method == "DELETE":
            return self.delete(claims, match[1], body["prefixes"])
        if (match := re.fullmatch(r"/object/([^/]+)/(.+)", path)) and method in ("POST", "PUT"):
            self.upload(match[1], match[2], claims.get("sub"))
            return {"Key": f"{match[1]}/{match[2]}"}
        raise Refused(404, "not_found", f"Route {method}:{path} not found")

    def delete(self, claims, bucket, names):
        if len(names) > 1000:
            raise Refused(400, "invalid_request", "You can only delete up to 1000 objects at once")
        if any(f"{bucket}/{name}" in self.refused for name in names):
            raise Refused(400, "InvalidKey", "Invalid key")
        role, more = self.as_role(claims)
        keeps = "SELECT id FROM storage.buckets WHERE id = :'bucket' AND versioning_status <> 'DISABLED'"
        if self.database.rows(self.database.superuser, keeps, bucket=bucket):
            return self.archive(bucket, names)
        gone = self.database.run(
            self.database.address("authenticator"),
            f"BEGIN; {role} SET LOCAL storage.allow_delete_query = 'true';"
            " WITH gone AS (DELETE FROM storage.objects WHERE bucket_id = :'bucket'"
            " AND name IN (SELECT json_array_elements_text(:'names'::json)) RETURNING *)"
            " SELECT coalesce(jsonb_agg(gone), '[]') FROM gone; COMMIT;",
            bucket=bucket, names=json.dumps(names), **more,
        )
        gone = json.loads(gone.splitlines()[-1])
        self.files -= {f"{bucket}/{entry['name']}" for entry in gone}
        return gone

    def archive(self, bucket, names):
        """A deletion by name in a bucket with versions: the contents stay, and a marker hides the file."""
        self.database.run(
            self.database.superuser,
            "WITH gone AS (UPDATE storage.objects SET archived_at = now() WHERE bucket_id = :'bucket' AND archived_at IS NULL"
            " AND NOT is_delete_marker AND name IN (SELECT json_array_elements_text(:'names'::json)) RETURNING bucket_id, name)"
            " SELECT count(*) FROM gone;"
            " INSERT INTO storage.objects (bucket_id, name, is_delete_marker) SELECT :'bucket', name"
            " FROM json_array_elements_text(:'names'::json) AS n (name)"
            " ON CONFLICT (bucket_id, name) WHERE archived_at IS NULL DO NOTHING",
            bucket=bucket, names=json.dumps(names),
        )
        return [{"name": name, "bucket_id": bucket} for name in names]

    # MARK: Auth

    def user_token(self, endpoint, sub, alg="HS256", life=3600, age=10, claims=None):
        """Signed like Auth: the time of the sign-in is in amr."""
        now = int(time.time())
        all_claims = {
            "iss": endpoint + "/auth/v1", "sub": sub, "aud": "authenticated", "role": "authenticated", "iat": now, "exp": now + life,
            "session_id": str(uuid.uuid4()), "aal": "aal1", "is_anonymous": False, "email": "", "phone": "",
            "amr": [{"method": "password", "timestamp": now - age}], **(claims or {}),
        }
        key, name = (SECRET, SECRET_NAME) if alg == "HS256" else (self.signing, "replica-1")
        return jwt.encode(all_claims, key, algorithm=alg, headers={"kid": name})

    def key_set(self):
        keys = []
        if self.published:
            published = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.signing.public_key()))
            keys.append({**published, "kid": "replica-1", "use": "sig", "alg": "ES256", "key_ops": ["verify"], "ext": True})
        return {"keys": keys}

    def auth(self, method, path, query, body, headers):
        if path == "/.well-known/jwks.json" and method == "GET":
            return self.key_set()
        try:
            claims = self.claims(headers)
        except Refused as refused:
            refused.status, refused.value = 401, {"code": 401, "error_code": "no_authorization", "msg": "invalid JWT"}
            raise
        if claims["role"] != "service_role":
            refused = Refused(403, "", "")
            refused.value = {"code": 403, "error_code": "not_admin", "msg": "User not allowed"}
            raise refused
        auth = self.database.address("supabase_auth_admin")
        shown = "SELECT id, aud, role, email, phone, created_at, deleted_at, raw_user_meta_data AS user_metadata FROM auth.users"
        if path == "/admin/users" and method == "GET":
            limit = int(query.get("per_page", 50))
            return {"aud": "authenticated", "users": self.database.rows(auth, f"{shown} ORDER BY id LIMIT {limit}")}
        match = re.fullmatch(r"/admin/users/([0-9a-fA-F-]{36})", path)
        found = match and self.database.rows(auth, f"{shown} WHERE id = :'id'", id=match[1])
        if not found:
            refused = Refused(404, "", "")
            refused.value = {"code": 404, "error_code": "user_not_found", "msg": "User not found"}
            raise refused
        if method == "GET":
            return found[0]
        soft = bool(body.get("should_soft_delete"))
        payload = {
            "action": "user_deleted", "actor_id": NOBODY, "actor_username": "service_role", "actor_via_sso": False,
            "log_type": "team", "traits": {"user_id": match[1], "user_email": found[0]["email"], "user_phone": ""},
        }
        change = (
            "UPDATE auth.users SET email = encode(sha256(email::bytea), 'hex'), deleted_at = now(), raw_user_meta_data = '{}'"
            if soft else "DELETE FROM auth.users"
        )
        try:
            self.database.run(
                auth,
                "BEGIN; INSERT INTO auth.audit_log_entries (instance_id, id, payload, created_at)"
                f" VALUES ('{NOBODY}', gen_random_uuid(), :'payload', now()); {change} WHERE id = :'id'; COMMIT;",
                payload=json.dumps(payload), id=match[1],
            )
        except RuntimeError as error:
            refused = Refused(500, "", "")
            refused.value = {"code": 500, "error_code": "unexpected_failure", "msg": "Database error deleting user"}
            if "violates foreign key constraint" in str(error):
                refused.value = {"code": "23503", "message": str(error)}
            raise refused from error
        return {}

    # MARK: Control

    def control(self, verb, text):
        what, _, rest = verb.partition("/")
        if what == "files":
            return sorted(self.files)
        if what == "sql":
            return self.database.run(self.database.superuser, text)
        if what == "refuse":
            self.refused.add(rest)
        elif what == "upload":
            bucket, name = rest.split("/", 1)
            self.upload(bucket, name, text or None)
        elif what == "token":
            return {"token": self.user_token(ENDPOINT, **json.loads(text))}
        elif what == "function":
            self.functions[rest] = text
        elif what == "move":
            self.published = True
        elif what == "status":
            self.status = int(rest)
        return True


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        if self.path.startswith("/functions/v1/"):
            return self.call_function()
        text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        parts = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(parts.path)
        try:
            with project.lock:
                status, value = 200, self.take(path, dict(urllib.parse.parse_qsl(parts.query)), text)
        except Refused as refused:
            status, value = refused.status, refused.value
        except Exception as error:  # as a service does: it says no more than that it failed
            status, value = 500, {"statusCode": "500", "error": "internal", "message": str(error)}
        self.reply(status, {"content-type": "application/json"}, json.dumps(value).encode())

    def take(self, path, query, text):
        if path.startswith("/control/"):
            return project.control(path.removeprefix("/control/"), text)
        if project.status:
            raise Refused(project.status, "unavailable", "unavailable")
        body = json.loads(text) if text.startswith(("{", "[")) else {}
        if path.startswith("/storage/v1/"):
            return project.storage(self.command, path.removeprefix("/storage/v1"), body, self.headers)
        if path.startswith("/auth/v1/"):
            return project.auth(self.command, path.removeprefix("/auth/v1"), query, body, self.headers)
        raise Refused(404, "not_found", "no Route matched with those values")

    def call_function(self):
        """The gateway hands the whole call over, and the answer back; the lock is left alone, for functions call back."""
        name = urllib.parse.urlsplit(self.path).path.removeprefix("/functions/v1/")
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if name not in project.functions:
            missing = b'{"code":"NOT_FOUND","message":"Requested function was not found"}'
            return self.reply(404, {"content-type": "application/json"}, missing)
        place = urllib.parse.urlsplit(project.functions[name])
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=150)
        own = ("host", "content-length", "transfer-encoding", "connection", "date", "server")
        connection.request(self.command, "/" + name, body, {k: v for k, v in self.headers.items() if k.lower() not in own})
        answer = connection.getresponse()
        text = answer.read()
        return self.reply(answer.status, {k: v for k, v in answer.getheaders() if k.lower() not in own}, text)

    def reply(self, status, fields, body):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = serve

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    project = Project(sys.argv[1], int(sys.argv[3]) if sys.argv[2:3] == ["--people"] else 3)
    server = Server(("127.0.0.1", 0), Front)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ENDPOINT = f"http://127.0.0.1:{server.server_port}"
    print(json.dumps(project.facts(ENDPOINT)), flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        sys.stdin.read()
    finally:
        project.database.drop()
