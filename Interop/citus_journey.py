# SPDX-License-Identifier: Apache-2.0
"""Erases people of an app on Citus with the command `farewell`, and compares its output with independent SQL.

    python Interop/citus_journey.py COORDINATOR FAREWELL

COORDINATOR  the address of a coordinator's database, with worker nodes. Its schemas `journey` and `farewell` are dropped
             before and afterwards.
FAREWELL     the command

Tables lie by the person's key, by other keys, on one shard, on every node and on the coordinator; rows are erased,
made anonymous, retained until their last day, exported and shared. Every check is one line; the first that fails ends
the program with status 1.
"""

import base64
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from free_port import free_ports

SCHEMA = """
CREATE SCHEMA journey;
SET search_path = journey;
CREATE TABLE countries (id int PRIMARY KEY, name text);
SELECT create_reference_table('countries');
CREATE TABLE users (id uuid PRIMARY KEY, email text NOT NULL, name text, country_id int REFERENCES countries (id));
SELECT create_distributed_table('users', 'id');
CREATE TABLE posts (id bigint, user_id uuid REFERENCES users (id) ON DELETE CASCADE, title text, PRIMARY KEY (user_id, id));
SELECT create_distributed_table('posts', 'user_id', colocate_with => 'users');
CREATE TABLE comments (id bigint, user_id uuid, post_id bigint, body text, PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, post_id) REFERENCES posts (user_id, id) ON DELETE CASCADE);
SELECT create_distributed_table('comments', 'user_id', colocate_with => 'users');
CREATE TABLE visits (user_id uuid NOT NULL, at timestamptz DEFAULT now(), ip text);
SELECT create_distributed_table('visits', 'user_id', colocate_with => 'users');
CREATE TABLE messages (id bigint, room bigint, sender_id uuid, body text, PRIMARY KEY (room, id));
SELECT create_distributed_table('messages', 'room', colocate_with => 'none');
CREATE INDEX ON messages (sender_id);
CREATE TABLE attachments (id bigint, room bigint, message_id bigint, PRIMARY KEY (room, id),
    FOREIGN KEY (room, message_id) REFERENCES messages (room, id) ON DELETE CASCADE);
SELECT create_distributed_table('attachments', 'room', colocate_with => 'messages');
CREATE TABLE chats (id bigint PRIMARY KEY, sender_id uuid, recipient_id uuid, body text);
SELECT create_distributed_table('chats', 'id', colocate_with => 'none');
CREATE TABLE orders (id bigint PRIMARY KEY, user_id uuid, address text, total numeric);
SELECT create_distributed_table('orders', 'id', colocate_with => 'none');
CREATE TABLE invoices (id bigint PRIMARY KEY, user_id uuid, amount numeric);
SELECT create_distributed_table('invoices', 'id', colocate_with => 'orders');
CREATE TABLE albums (id bigint PRIMARY KEY, user_id uuid, viewers uuid[]);
SELECT create_distributed_table('albums', 'id', colocate_with => 'none');
CREATE TABLE hooks (id bigint PRIMARY KEY, payload jsonb);
SELECT create_distributed_table('hooks', 'id', colocate_with => 'none');
CREATE TABLE settings (user_id uuid PRIMARY KEY, dark boolean);
SELECT create_distributed_table('settings', NULL, colocate_with => 'none');
CREATE TABLE teams (id bigint PRIMARY KEY, owner_id uuid);
SELECT create_reference_table('teams');
CREATE TABLE projects (id bigint PRIMARY KEY, team_id bigint REFERENCES teams (id) ON DELETE CASCADE);
SELECT create_distributed_table('projects', 'id', colocate_with => 'none');
CREATE TABLE notes (id bigint PRIMARY KEY, user_id uuid, country_id int REFERENCES countries (id));
SELECT citus_add_local_table_to_metadata('notes');
CREATE TABLE uploads (id bigint PRIMARY KEY, user_id uuid);
CREATE TABLE parts (id bigint PRIMARY KEY, upload_id bigint REFERENCES uploads (id) ON DELETE CASCADE);
CREATE TABLE lines (id bigint PRIMARY KEY, invoice_id bigint, what text);
SELECT create_distributed_table('lines', 'id', colocate_with => 'none');
CREATE TABLE bills (id bigint PRIMARY KEY, user_id uuid, note text, day date);
SELECT create_reference_table('bills');
CREATE TABLE slips (id bigint PRIMARY KEY, user_id uuid, at timestamptz);
CREATE TABLE likes (id bigint PRIMARY KEY, user_id uuid, room bigint, message_id bigint);
SELECT create_distributed_table('likes', 'id', colocate_with => 'none');
CREATE TABLE boards (id bigint PRIMARY KEY, owner_id uuid, seen jsonb, body jsonb);
SELECT create_distributed_table('boards', 'id', colocate_with => 'none');
CREATE FUNCTION person(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
    AS $$ SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid $$;
INSERT INTO countries SELECT g, 'country ' || g FROM generate_series(1, 3) AS g;
INSERT INTO users SELECT person(g), 'user' || g || '@example.org', 'Anyname' || g || 'x', 1 + g % 3
    FROM generate_series(1, 24) AS g;
INSERT INTO posts SELECT p, person(g), 't' FROM generate_series(1, 24) AS g, generate_series(1, 3) AS p;
INSERT INTO comments SELECT p * 10 + c, person(g), p, 'b'
    FROM generate_series(1, 24) AS g, generate_series(1, 3) AS p, generate_series(1, 2) AS c;
INSERT INTO visits SELECT person(g), now(), 'ip' FROM generate_series(1, 24) AS g, generate_series(1, 4);
INSERT INTO messages SELECT g, g % 7, person(1 + g % 24), 'm' FROM generate_series(1, 240) AS g;
INSERT INTO attachments SELECT g, g % 7, g FROM generate_series(1, 240) AS g;
INSERT INTO chats SELECT g, person(1 + g % 24), person(1 + (g * 7 + 3) % 24), 'hi' FROM generate_series(1, 240) AS g;
INSERT INTO orders SELECT g, person(1 + g % 24), 'street ' || g, g FROM generate_series(1, 72) AS g;
INSERT INTO invoices SELECT g, person(1 + g % 24), g FROM generate_series(1, 48) AS g;
INSERT INTO lines SELECT g, 1 + g % 48, 'thing' FROM generate_series(1, 96) AS g;
INSERT INTO bills SELECT g, person(1 + g % 24), 'note', '2020-01-01'::date + g::int FROM generate_series(1, 48) AS g;
INSERT INTO slips SELECT g, person(1 + g % 24), '2020-01-01'::timestamptz + g * interval '1 day'
    FROM generate_series(1, 48) AS g;
INSERT INTO likes SELECT g, CASE WHEN g % 3 = 0 THEN person(24) ELSE person(1 + g % 24) END, g % 7, g
    FROM generate_series(1, 240) AS g;
INSERT INTO boards SELECT g, person(1 + g % 24), jsonb_build_array(person(1 + (g + 1) % 24), person(1 + (g + 2) % 24), 5),
    jsonb_build_object('b', 1.50, 'people', jsonb_build_array(person(1 + (g + 3) % 24), 'x'))
    FROM generate_series(1, 48) AS g;
INSERT INTO albums SELECT g, person(1 + g % 24), ARRAY[person(1 + (g + 1) % 24), person(1 + (g + 2) % 24)]
    FROM generate_series(1, 48) AS g;
INSERT INTO hooks SELECT g, jsonb_build_object('user', person(1 + g % 24)) FROM generate_series(1, 48) AS g;
INSERT INTO settings SELECT person(g), true FROM generate_series(1, 24) AS g;
INSERT INTO teams SELECT g, person(g) FROM generate_series(1, 24) AS g;
INSERT INTO projects SELECT g, 1 + g % 24 FROM generate_series(1, 48) AS g;
INSERT INTO notes SELECT g, person(1 + g % 24), 1 FROM generate_series(1, 48) AS g;
INSERT INTO uploads SELECT g, person(g) FROM generate_series(1, 24) AS g;
INSERT INTO parts SELECT g, 1 + g % 24 FROM generate_series(1, 72) AS g;
"""

TABLES = """tables:
  journey.users: {rule: erase, columns: [id, email, name, country_id]}
  journey.posts:
    rule: erase
    links: [{from: user_id, to: journey.users.id, key: cascade}]
    columns: [id, user_id, title]
  journey.comments:
    rule: erase
    links: [{from: [user_id, post_id], to: [journey.posts.user_id, journey.posts.id], key: cascade}]
    columns: [id, user_id, post_id, body]
  journey.visits:
    rule: erase
    links: [{from: user_id, to: journey.users.id}]
    columns: [user_id, at, ip]
  journey.messages:
    rule: erase
    links: [{from: sender_id, to: journey.users.id}]
    columns: [id, room, sender_id, body]
  journey.attachments:
    rule: erase
    links: [{from: [room, message_id], to: [journey.messages.room, journey.messages.id], key: cascade}]
    columns: [id, room, message_id]
  journey.chats:
    rule: erase
    links:
      - {from: sender_id, to: journey.users.id, shared: erase}
      - {from: recipient_id, to: journey.users.id, shared: unlink}
    columns: [id, sender_id, recipient_id, body]
  journey.orders:
    rule: anonymise
    links: [{from: user_id, to: journey.users.id}]
    columns: [{id: not personal}, {user_id: null}, {address: hash}, {total: not personal}]
  journey.invoices:
    rule: retain
    reason: tax
    for: 10 years
    then: erase
    links: [{from: user_id, to: journey.users.id}]
    columns: [{id: not personal}, {user_id: null}, {amount: not personal}]
  journey.lines:
    rule: retain
    reason: tax
    for: 10 years
    then: erase
    links: [{from: invoice_id, to: journey.invoices.id}]
    columns: [{id: not personal}, {invoice_id: not personal}, {what: not personal}]
  journey.bills:
    rule: retain
    reason: tax
    for: 10 years
    from: day
    then: anonymise
    links: [{from: user_id, to: journey.users.id}]
    columns: [{id: not personal}, {user_id: null}, {note: retain}, {day: not personal}]
  journey.slips:
    rule: retain
    reason: tax
    for: 10 years
    from: at
    then: erase
    links: [{from: user_id, to: journey.users.id}]
    columns: [{id: not personal}, {user_id: null}, {at: not personal}]
  journey.likes:
    rule: erase
    links:
      - {from: user_id, to: journey.users.id, shared: erase}
      - {from: [room, message_id], to: [journey.messages.room, journey.messages.id], shared: erase}
    columns: [id, user_id, room, message_id]
  journey.boards:
    rule: erase
    links:
      - {from: owner_id, to: journey.users.id}
      - {from: seen, to: journey.users.id, list: json, role: reference}
      - {from: body, path: [people], to: journey.users.id, list: json, role: reference}
    columns: [id, owner_id, seen, body]
  journey.albums:
    rule: erase
    links:
      - {from: user_id, to: journey.users.id}
      - {from: viewers, to: journey.users.id, list: array, role: reference}
    columns: [id, user_id, viewers]
  journey.hooks:
    rule: erase
    links: [{from: payload, path: [user], to: journey.users.id}]
    columns: [id, payload]
  journey.settings:
    rule: erase
    links: [{from: user_id, to: journey.users.id}]
    columns: [user_id, dark]
  journey.teams:
    rule: erase
    links: [{from: owner_id, to: journey.users.id}]
    columns: [id, owner_id]
  journey.projects:
    rule: erase
    links: [{from: team_id, to: journey.teams.id, key: cascade}]
    columns: [id, team_id]
  journey.notes:
    rule: erase
    links: [{from: user_id, to: journey.users.id}]
    columns: [id, user_id, country_id]
  journey.uploads:
    rule: erase
    links: [{from: user_id, to: journey.users.id}]
    columns: [id, user_id]
  journey.parts:
    rule: erase
    links: [{from: upload_id, to: journey.uploads.id, key: cascade}]
    columns: [id, upload_id]
  journey.countries: {rule: not personal, columns: [id, name]}
"""

# A person's rows, by SQL that is independent of Farewell. {0} is the person's key in quotes.
ERASED = {
    "users": "id = {0}", "posts": "user_id = {0}", "comments": "user_id = {0}", "visits": "user_id = {0}",
    "messages": "sender_id = {0}",
    "attachments": "(room, message_id) IN (SELECT room, id FROM journey.messages WHERE sender_id = {0})",
    "chats": "sender_id = {0}", "albums": "user_id = {0}", "hooks": "payload ->> 'user' = {0}",
    "settings": "user_id = {0}", "teams": "owner_id = {0}",
    "projects": "team_id IN (SELECT id FROM journey.teams WHERE owner_id = {0})", "notes": "user_id = {0}",
    "likes": "user_id = {0} OR (room, message_id) IN (SELECT room, id FROM journey.messages WHERE sender_id = {0})",
    "boards": "owner_id = {0}", "uploads": "user_id = {0}",
    "parts": "upload_id IN (SELECT id FROM journey.uploads WHERE user_id = {0})",
}
CHANGED = {"orders": "user_id = {0}"}
KEPT = {
    "invoices": "user_id = {0}", "bills": "user_id = {0}", "slips": "user_id = {0}",
    "lines": "invoice_id IN (SELECT id FROM journey.invoices WHERE user_id = {0})",
}
# Rows that name a person; the others were a person's before.
NAMING = {"lines": "invoice_id IN (SELECT id FROM journey.invoices WHERE user_id IS NOT NULL)"}
UNLINKED = {
    "chats": "recipient_id = {0} AND sender_id IS DISTINCT FROM {0}",
    "albums": "viewers @> ARRAY[{0}]::uuid[] AND user_id IS DISTINCT FROM {0}",
    "boards": "(seen @> to_jsonb({0}::text) OR body -> 'people' @> to_jsonb({0}::text)) AND owner_id IS DISTINCT FROM {0}",
}


def check(name, holds, what=None):
    if holds:
        return print("ok    " + name, flush=True)
    # Also where a program shows only its failures.
    print(f"WRONG {name}\n      {what!r}", file=sys.__stdout__, flush=True)
    raise SystemExit(1)


def key(number):
    return f"00000000-0000-4000-8000-{number:012}"


class App:
    def __init__(self, coordinator, command):
        self.coordinator, self.command = coordinator, command
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="farewell-citus-journey."))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, address=None):
        """Rows as text, columns apart by `|`."""
        options = {"PGOPTIONS": "-c client_min_messages=error -c citus.multi_shard_modify_mode=sequential"}
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", address or self.coordinator], input=text, text=True,
            capture_output=True, env=os.environ | options)
        if done.returncode:
            check("SQL of the journey's own", False, done.stderr)
        return done.stdout.splitlines()

    def drop(self):
        self.sql("DROP SCHEMA IF EXISTS journey CASCADE; DROP SCHEMA IF EXISTS farewell CASCADE;")

    def farewell(self, *arguments, address=None, status=0):
        done = subprocess.run(
            [self.command, *arguments], text=True, capture_output=True, cwd=self.folder,
            env=os.environ | {"FAREWELL_DATABASE_URL": address or self.coordinator, "NO_COLOR": "1"})
        check(f"farewell {arguments[0]} exits {status}", done.returncode == status, done)
        return done

    def json(self, *arguments):
        return json.loads(self.farewell(*arguments, "--json").stdout.splitlines()[-1])

    def counts(self, conditions, person):
        parts = [f"SELECT '{name}', count(*) FROM journey.{name} WHERE {text.format(repr(person))};"
                 for name, text in conditions.items()]
        return {name: int(count) for name, count in (line.split("|") for line in self.sql("".join(parts))) if int(count)}

    def all(self, person):
        groups = zip(("erase", "anonymise", "retain", "unlink"), (ERASED, CHANGED, KEPT, UNLINKED))
        return {name: self.counts(conditions, person) for name, conditions in groups}

    def others(self, people):
        """Every row that names none of these people, and others' rows that may lose a link to them, without that link."""
        listed = ", ".join(repr(person) for person in people)
        parts = []
        for name, text in (ERASED | CHANGED | KEPT).items():
            own = " OR ".join(f"({text.format(repr(person))})" for person in people)
            # Rows of the person that stay name no person any longer.
            held = f" AND t.{NAMING.get(name, 'user_id IS NOT NULL')}" if name in CHANGED | KEPT else ""
            row = "t::text"
            if name == "chats":
                row = f"t.id || t.sender_id::text || t.body || CASE WHEN t.recipient_id IN ({listed}) THEN '' " \
                      "ELSE coalesce(t.recipient_id::text, '') END"
            if name == "albums":
                row = "t.id || t.user_id::text || array(SELECT v FROM unnest(t.viewers) AS v WHERE v NOT IN " \
                      f"({listed}))::text"
            if name == "boards":
                lists = [f"array(SELECT v FROM jsonb_array_elements_text({one}) AS v WHERE v NOT IN ({listed}))::text"
                         for one in ("t.seen", "t.body -> 'people'")]
                row = f"t.id || t.owner_id::text || {lists[0]} || {lists[1]} || (t.body -> 'b')::text"
            # The rows come to this program: no query of the cluster's own hashes them.
            parts.append(f"SELECT '{name} ' || ({row}) FROM journey.{name} AS t WHERE ({own}) IS NOT TRUE{held};")
        return sorted(self.sql("".join(parts)) + self.sql("SELECT 'countries ' || t::text FROM journey.countries AS t;"))


def receipt(text):
    body = text.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def expected(counted):
    erased, unlinked = counted["erase"], counted["unlink"]
    changed = dict(counted["anonymise"])
    for name, count in unlinked.items():
        changed[name] = changed.get(name, 0) + count
    return erased, changed, counted["retain"]


def told(issued):
    sums = ({}, {}, {})
    for step in issued["steps"]:
        for line in step["places"]:
            name = line["place"].removeprefix("journey.").removesuffix(" (link only)")
            for total, member in zip(sums, ("erased", "anonymised", "retained")):
                if line.get(member):
                    total[name] = total.get(name, 0) + line[member]
    return sums


def planned(app):
    app.farewell("init", "--subject", "journey.users.id", "--force")
    text = (app.folder / "farewell.yaml").read_text()
    head, rest = text[:text.index("# Questions that the schema does not answer")], text[text.index("\ntables:\n"):]
    entry = re.compile(r"^  (\S+):\n(?:    .*\n|\n)*", re.M)
    foreign = [found.group(0) for found in entry.finditer(rest) if not found.group(1).startswith("journey.")]
    (app.folder / "farewell.yaml").write_text(head + TABLES + "".join(foreign))
    app.farewell("check")


def previewed(app, person, counted):
    preview = app.json("preview", "--subject", person)
    erased, changed, kept = {}, {}, {}
    for place in preview["places"]:
        name = place["place"].removeprefix("journey.")
        into = {"erase": erased, "anonymise": changed, "retain": kept}[place["rule"]]
        if place["count"]:
            into[name] = into.get(name, 0) + place["count"]
    check("OP-6 preview counts what SQL counts", (erased, changed, kept) == expected(counted),
          ((erased, changed, kept), expected(counted)))


def rehearsed(app, person, counted):
    before = app.others([key(0)])
    rehearsal = app.json("rehearse", "--subject", person)
    check("OP-6 a rehearsal fits the plan", rehearsal["fits"], rehearsal)
    changes = {line["table"].removeprefix("journey."): line for line in rehearsal["subjects"][0]["changes"]}
    deleted = {name: line["deleted"] for name, line in changes.items() if line["deleted"]}
    check("OP-6 a rehearsal counts what SQL counts", deleted == counted["erase"], (deleted, counted["erase"]))
    check("OP-6 a rehearsal changes nothing", app.others([key(0)]) == before)


def erased(app, people):
    counted = {person: app.all(person) for person in people}
    before = app.others(people)
    subjects = [argument for person in people for argument in ("--subject", person)]
    outcome = app.json("erase", *subjects, "--yes")["outcomes"]
    for person, own in zip(people, sorted(outcome, key=lambda one: one["position"])):
        sums = told(receipt(own["receipt"]))
        check("OP-6 the receipt counts what SQL counted", sums == expected(counted[person]), (sums, counted[person]))
        left = {name: rows for name, rows in app.all(person).items() if rows}
        check("OP-6 nothing is left", not left, left)
        app.farewell("verify", "--deep", "--subject", person)
    after = app.others(people)
    check("OP-6 no other user's rows are changed", after == before, sorted(set(after) ^ set(before))[:10])


class Issuer(http.server.ThreadingHTTPServer):
    """The issuer that the server trusts."""

    def __init__(self, port):
        self.secret = ec.generate_private_key(ec.SECP256R1())
        members = jwt.get_algorithm_by_name("ES256").to_jwk(self.secret.public_key(), as_dict=True)
        members.pop("key_ops", None)
        keys = json.dumps({"keys": [members | {"kid": "journey", "use": "sig", "alg": "ES256"}]}).encode()

        class Keys(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(keys)))
                self.end_headers()
                self.wfile.write(keys)

        super().__init__(("127.0.0.1", port), Keys)
        self.name = f"http://127.0.0.1:{port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def token(self, person):
        now = int(time.time())
        claims = {"iss": self.name, "aud": "app", "sub": person, "iat": now, "auth_time": now, "exp": now + 3_600}
        return jwt.encode(claims, self.secret, algorithm="ES256", headers={"kid": "journey"})


class Running:
    """A server or a worker, until the end of a `with`."""

    def __init__(self, app, arguments, word):
        # Every FAREWELL_… is a setting to it.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FAREWELL_")}
        self.process = subprocess.Popen(
            [app.command, *arguments], text=True, cwd=app.folder, env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        said = next((line for line in self.process.stdout if word in line), None)
        if said is None:
            self.process.terminate()
        check(f"farewell {arguments[0]} says {word}", said is not None)
        # Read on, so that it never waits for us.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()


def worked(app, people):
    """A server accepts, and two workers erase; one of them is killed meanwhile."""
    issuer, port = Issuer(free_ports()[0]), free_ports()[0]
    for name, concurrency in (("server", 0), ("work", 2)):
        (app.folder / f"{name}.yaml").write_text(
            f"tokens: {{issuer: \"http://127.0.0.1:{port}/auth/v1\"}}\n"
            "erasures:\n  plan: farewell.yaml\n  second-look: 0\n  wait: 1\n  lease: 5\n"
            f"  concurrency: {concurrency}\n  database-url: \"{app.coordinator}\"\n"
            f"  issuers: [\"openid {issuer.name} {issuer.name}/keys app\"]\n")
    counted = {person: app.all(person) for person in people}
    before = app.others(people)
    work = ["work", "--settings", "work.yaml", "--state", ".farewell"]
    serve = ["serve", "--settings", "server.yaml", "--state", ".farewell", "--port", str(port)]
    tickets = {}
    with Running(app, serve, "Listening on"), Running(app, work, "Working") as killed, Running(app, work, "Working"):
        for number, person in enumerate(people):
            status, answer = called(port, "POST", "/v1/erasures", {
                "Authorization": f"Bearer {issuer.token(person)}", "Idempotency-Key": f"journey-{number}"}, "{}")
            check("OP-6 the server accepts", status == 202, answer)
            tickets[person] = answer
            if number == len(people) // 2:
                killed.process.kill()
        deadline = time.monotonic() + 240
        for person, ticket in tickets.items():
            mine, answer = {"X-Farewell-Ticket": ticket["ticket"]}, {}
            while answer.get("state") != "done":
                if time.monotonic() > deadline:
                    check("OP-6 workers end every erasure", False, answer)
                time.sleep(0.2)
                _, answer = called(port, "GET", "/v1/erasures", mine)
            sums = told(receipt(fetched(port, answer["receipt"], mine)))
            check("OP-6 a worker's receipt counts what SQL counted", sums == expected(counted[person]),
                  (person, sums, counted[person]))
    check("OP-6 workers change no other user's rows", app.others(people) == before)
    left = [person for person in people if any(app.all(person).values())]
    check("OP-6 workers leave nothing", not left, left)


def exported(app, person):
    """The rows of an export, also of rows to which several links lead."""
    folder = app.folder / "exported"
    app.farewell("export", "--subject", person, "--output", str(folder))
    files = {path.stem.removeprefix("journey."): json.loads(path.read_text()) for path in folder.rglob("journey.*.json")}
    counts = app.counts(ERASED, person)
    check("OP-6 an export has the rows that SQL counts", len(files["likes"]) == counts["likes"],
          (len(files.get("likes", [])), counts["likes"]))
    shutil.rmtree(folder)


def ended(app):
    """Retentions end after their last day; a row that names another person by now stays."""
    open_ones = "SELECT count(*) FROM farewell.retentions WHERE ended_at IS NULL"
    check("OP-6 there are retentions to end", int(app.sql(open_ones)[0]) > 0)
    nameless = {name: text.replace("= {0}", "IS NULL") for name, text in KEPT.items()}

    def kept():
        return {name: int(app.sql(f"SELECT count(*) FROM journey.{name} WHERE {text}")[0]) for name, text in nameless.items()}

    app.sql(f"""
        UPDATE journey.invoices SET user_id = '{key(24)}' WHERE id = (SELECT min(id) FROM journey.invoices WHERE user_id IS NULL);
        UPDATE journey.slips SET user_id = '{key(24)}' WHERE id = (SELECT min(id) FROM journey.slips WHERE user_id IS NULL);
        UPDATE farewell.retentions SET until = '2001-01-01';
        """)
    check("OP-6 retained rows are there until their last day", all(kept().values()), kept())
    before, given = app.others([key(0)]), app.counts(KEPT, key(24))
    with Running(app, ["work", "--settings", "work.yaml", "--state", ".farewell"], "Working"):
        deadline = time.monotonic() + 120
        while int(app.sql(open_ones)[0]):
            failing = app.sql("SELECT place || ' ' || trouble FROM farewell.retentions WHERE trouble IS NOT NULL")
            if failing or time.monotonic() > deadline:
                check("OP-6 retentions end", False, failing)
            time.sleep(0.5)
    left = kept()
    lost = app.sql("SELECT count(*) FROM journey.lines WHERE invoice_id NOT IN (SELECT id FROM journey.invoices)")[0]
    check("OP-6 rows are gone after their last day", not (left["invoices"] or left["slips"] or int(lost)), (left, lost))
    notes = app.sql("SELECT count(*) FROM journey.bills WHERE user_id IS NULL AND note IS NOT NULL")[0]
    check("OP-6 retained columns are empty after their last day", left["bills"] > 0 and notes == "0", (left, notes))
    check("OP-6 rows that name another person by now stay", app.counts(KEPT, key(24)) == given)
    check("OP-6 the end of a retention changes no other row", app.others([key(0)]) == before)


def fenced(app):
    """The fence is put up where Citus accepts triggers."""
    app.sql(app.farewell("fence", "--sql").stdout)
    tables = app.sql("""
        SELECT DISTINCT t.tgrelid::regclass::text FROM pg_trigger AS t
        WHERE t.tgname LIKE 'farewell%' AND t.tgrelid::regclass::text !~ '_[0-9]+$' ORDER BY 1""")
    check("OP-6 the fence guards the coordinator's own tables", tables == ["journey.notes", "journey.slips", "journey.uploads"],
          tables)


def called(port, method, path, headers, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, headers | {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read() or b"{}")


def fetched(port, path, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    return connection.getresponse().read().decode()


def refused_elsewhere(app):
    """A call on a worker node is refused and names the coordinator."""
    node, port = app.sql("SELECT nodename || '|' || nodeport FROM pg_dist_node WHERE groupid > 0 LIMIT 1")[0].split("|")
    mine = app.sql("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0")
    parts = urllib.parse.urlsplit(app.coordinator)
    user = parts.netloc.rpartition("@")[0]
    worker = parts._replace(netloc=(user + "@" if user else "") + f"{node}:{port}").geturl()
    for command in (["status"], ["check"], ["preview", "--subject", key(1)], ["erase", "--yes", "--subject", key(1)]):
        done = app.farewell(*command, address=worker, status=2)
        check(f"OP-6 on a worker node {command[0]} names the coordinator",
              "worker node" in done.stderr and mine and mine[0] in done.stderr, done)


def refused_beforehand(app):
    """Statements that Citus would refuse in the middle of a run are findings."""
    app.sql("""
        SET search_path = journey;
        CREATE TABLE threads (id bigint PRIMARY KEY, user_id uuid, parent_id bigint);
        SELECT create_distributed_table('threads', 'id', colocate_with => 'none');
        CREATE TABLE carts (id bigint, user_id uuid, note text, PRIMARY KEY (user_id, id));
        SELECT create_distributed_table('carts', 'user_id', colocate_with => 'users');
        CREATE TABLE scans (user_id uuid, post_id bigint);
        SELECT create_distributed_table('scans', 'user_id', colocate_with => 'users');
        CREATE TABLE papers (id bigint PRIMARY KEY, user_id uuid, body json);
        SELECT create_distributed_table('papers', 'id', colocate_with => 'none');
        """)
    plan = app.folder / "farewell.yaml"
    kept = plan.read_text()
    plan.write_text(kept + """
  journey.threads:
    rule: erase
    links:
      - {from: user_id, to: journey.users.id, shared: erase}
      - {from: parent_id, to: journey.threads.id, shared: erase}
    columns: [id, user_id, parent_id]
  journey.carts:
    rule: anonymise
    links: [{from: user_id, to: journey.users.id}]
    columns: [{id: not personal}, {user_id: null}, {note: {expression: "year(note)"}}]
  journey.scans:
    rule: erase
    links: [{from: [user_id, post_id], to: [journey.posts.user_id, journey.posts.id]}]
    columns: [user_id, post_id]
  journey.papers:
    rule: erase
    links:
      - {from: user_id, to: journey.users.id}
      - {from: body, path: [author], to: journey.users.id, role: reference}
    columns: [id, user_id, body]
""")
    found = app.farewell("check", "--json", status=1).stdout
    for code in ("citus.recursion", "citus.distribution-column", "citus.expression", "citus.no-primary-key", "citus.json"):
        check(f"OP-6 check finds {code}", code in found, found)
    app.sql("DROP TABLE journey.threads, journey.carts, journey.scans, journey.papers;")
    plan.write_text(kept)
    app.farewell("check")


def large(app, person):
    """More rows than fit in one transaction."""
    app.sql(f"""
        SET search_path = journey;
        INSERT INTO visits SELECT '{person}', now(), 'ip' FROM generate_series(1, 5000);
        INSERT INTO messages SELECT 1000 + g, g % 7, '{person}', 'm' FROM generate_series(1, 8000) AS g;
        INSERT INTO attachments SELECT 1000 + g, g % 7, 1000 + g FROM generate_series(1, 8000) AS g;
        INSERT INTO orders SELECT 1000 + g, '{person}', 'street', g FROM generate_series(1, 3000) AS g;
        INSERT INTO chats SELECT 1000 + g, person(22), '{person}', 'hi' FROM generate_series(1, 4000) AS g;
        """)
    erased(app, [person])


def main():
    with App(*sys.argv[1:3]) as app:
        journey(app)
    print("passed", flush=True)


def journey(app):
    version = app.sql("SELECT split_part(citus_version(), ' ', 2)")[0]
    nodes = app.sql("SELECT count(*) FROM citus_get_active_worker_nodes()")[0]
    print(f"Citus {version}, {nodes} worker nodes", flush=True)
    app.drop()
    app.sql(SCHEMA)
    planned(app)
    refused_beforehand(app)
    counted = app.all(key(1))
    previewed(app, key(1), counted)
    rehearsed(app, key(1), counted)
    exported(app, key(1))
    erased(app, [key(1)])
    # Neither these three nor the six below share a row with each other: whose it is would be a matter of who comes first.
    erased(app, [key(2), key(8), key(14)])
    large(app, key(5))
    worked(app, [key(number) for number in (3, 7, 11, 15, 19, 23)])
    refused_elsewhere(app)
    ended(app)
    app.farewell("status")
    doctor = app.farewell("doctor", "--json").stdout
    check("OP-6 doctor reaches each worker node", '"worker nodes"' in doctor, doctor)
    app.farewell("verify", "--audit")
    fenced(app)
    app.drop()


if __name__ == "__main__":
    main()
