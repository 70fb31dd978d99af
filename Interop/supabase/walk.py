# SPDX-License-Identifier: Apache-2.0
"""Walks through docs/adopting/supabase.md beside a fake project, like a team that has only the page.

    python Interop/supabase/walk.py FAREWELL SAMPLE SYSTEM

FAREWELL, SAMPLE   the commands farewell and farewell-sample
SYSTEM             starter (the app of app.sql), coachme, muse, or sessions (accounts and sessions alone)

The three reference systems connect through a pooler in transaction mode; starter names both servers of a pair in one address.
After the first deletion the vendor migrates its tables, the primary fails, and its replica is promoted.

Every command of the page is run word for word in one shell, in an empty folder; only the values that its second step asks
for are the project's own, and `supabase` is a stand-in that runs functions under Deno. Then people are erased, by curl at the
server and through both functions, with tokens by the legacy secret and by signing keys. An independent oracle finds the
remaining data. Every check is one line; the first that fails ends the program with status 1.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import growth
import leftovers
from checks import check
from edge import Functions
from servers import Pair

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "adopting" / "supabase.md"


def steps():
    """The commands of each numbered step."""
    found, number, block = {}, None, None
    for line in PAGE.read_text().splitlines():
        if match := re.match(r"## (\d+)\. ", line):
            number = int(match[1])
        elif line.startswith("## "):
            number = None
        elif line == "```sh":
            block = []
        elif line == "```" and block is not None:
            if number:
                found.setdefault(number, []).append("\n".join(block))
            block = None
        elif block is not None:
            block.append(line)
    return found


class Shell:
    """One shell for the whole page, as in a terminal."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )
        self.run("failed=0; trap 'failed=$?' ERR")

    def run(self, commands):
        """The exit status of the last failed command, or 0, and the output."""
        mark = "--done-" + os.urandom(6).hex()
        self.process.stdin.write(f"failed=0\n{commands}\necho; echo {mark} $failed\n")
        self.process.stdin.flush()
        said = ""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the shell ended: {said}")
            if line.startswith(mark):
                return int(line.split()[1]), said
            said += line

    def background(self, command, word):
        """Starts a command in the background, and waits for a word of its output."""
        log = self.folder / "server.log"
        log.touch()
        self.run(f"{command} >server.log 2>&1 &")
        end = time.monotonic() + 600
        while word not in log.read_text():
            if time.monotonic() > end or not self.run("jobs -pr")[1].strip():
                check(f"{command} says {word}", False, log.read_text())
            time.sleep(0.1)

    def end(self):
        self.run("kill $(jobs -p) 2>/dev/null; wait")
        self.process.stdin.close()
        self.process.wait()


class Project:
    def __init__(self, server, people):
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "Interop/supabase/project.py"), server, "--people", str(people)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.facts = json.loads(self.process.stdout.readline())
        self.endpoint, self.superuser = self.facts["endpoint"], self.facts["superuser"]

    def sql(self, text):
        return leftovers.psql(self.superuser, text)

    def control(self, verb, text=""):
        return leftovers.control(self.endpoint, verb, text)

    def token(self, person, alg, **more):
        return self.control("token", json.dumps({"sub": person["id"], "alg": alg, **more}))["token"]

    def definitions(self):
        """The vendor's own objects, as pg_dump writes them."""
        dumped = subprocess.run(
            [str(ROOT / "Scripts/postgres"), "client", "pg_dump", "--schema-only", "-n", "auth", "-n", "storage", self.superuser],
            capture_output=True, text=True, check=True,
        )
        return re.sub(r"(?m)^\\(un)?restrict .*$", "", dumped.stdout)

    def own_files(self, person):
        asked = "SELECT bucket_id || '/' || name FROM storage.objects WHERE owner_id = :'id' OR name LIKE :'id' || '/%'"
        return set(leftovers.psql(self.superuser, asked, id=person["id"]).splitlines())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# MARK: The systems


def fill(project, sample, system):
    """The system's tables and people; files in one's folder, outside it, and in one that only begins alike."""
    if system == "starter":
        return project.facts["people"]
    role = project.facts["database"]
    if system == "sessions":
        project.sql(
            "INSERT INTO auth.users (instance_id, id, aud, role, email, raw_app_meta_data, raw_user_meta_data, created_at)"
            " SELECT '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',"
            " 'session' || n || '@example.org', '{}', '{}', now() FROM generate_series(1, 6) AS n;"
            " INSERT INTO auth.sessions (id, user_id, created_at, aal) SELECT gen_random_uuid(), id, now(), 'aal1'"
            " FROM auth.users, generate_series(1, 2);"
            " INSERT INTO auth.refresh_tokens (token, user_id, revoked, session_id)"
            " SELECT 'refresh-' || id, user_id, false, id FROM auth.sessions;"
        )
    else:
        made = subprocess.run(
            [sample, system, "--database", role, "--people", "6", "--accounts", "present", "--examples", str(ROOT / "Examples")],
            capture_output=True, text=True, check=False,
        )
        check(f"{system}: tables and people", made.returncode == 0, made.stdout + made.stderr)
    people = json.loads(project.sql("SELECT json_agg(json_build_object('id', id, 'email', email) ORDER BY id) FROM auth.users"))
    for person in people:
        who = person["id"]
        for name in (f"{who}/1.jpg", f"{who}/trip/2 ü.jpg", f"shared/of-{who[:8]}.jpg"):
            project.control("upload/photos/" + urllib.request.quote(name), who)
        project.control(f"upload/photos/{who[:-1]}/beside.jpg")
    return people


# MARK: The page


# What `farewell doctor --supabase` finds missing once a step is done.
MISSING = {
    2: "There is no plan file", 3: "no erasure starts", 4: "erasures.issuers names no Supabase project",
    6: "the server's settings name no plan or no database", 7: "function delete-account does not exist",
}


def missing(shell, number, words):
    status, said = shell.run("farewell doctor --supabase")
    check(f"after step {number} doctor finds: {words}", status == 1 and words in " ".join(said.split()), said)


def walk(project, shell, functions, server_port, with_doctor=False):
    """Runs the page; its examples of values give way to the project's own."""
    found = steps()
    check("the page has at most ten steps", 3 <= len(found) <= 10 and sorted(found) == list(range(1, len(found) + 1)), sorted(found))
    own = {
        "https://abcdefgh.supabase.co": project.endpoint,
        "sb_secret_…": project.facts["secret_key"],
        "YOUR-LEGACY-JWT-SECRET": project.facts["secret"],
        "postgresql://postgres.abcdefgh:PASSWORD@aws-0-eu-west-1.pooler.supabase.com:5432/postgres": project.facts["database"],
        "https://farewell.example.org": f"http://127.0.0.1:{server_port}",
        "--host 0.0.0.0": f"--port {server_port}",
    }
    for number, blocks in sorted(found.items()):
        for block in blocks:
            for example, real in own.items():
                block = block.replace(example, real)
            if block.startswith("farewell serve"):
                if with_doctor:
                    missing(shell, number, "no server answers at")
                shell.background(block, "Listening on")
                continue
            status, said = shell.run(block)
            check(f"step {number}: {block.splitlines()[0][:70]}", status == 0, said)
            if "supabase functions deploy" in block:
                functions.deploy()
        if with_doctor and number in MISSING:
            missing(shell, number, MISSING[number])


STAND_IN = """#!/bin/bash
# Stands in for the vendor's command: keeps what it was told, for the walk to do.
echo "$@" >>"$STAND_IN_LOG"
"""


# MARK: Leaving


def curl(url, token, key):
    """Status and body, as an app's developer would see them."""
    done = subprocess.run(
        ["curl", "-sS", "-X", "POST", url, "-H", f"Authorization: Bearer {token}", "-H", f"apikey: {key}", "-w", "\n%{http_code}"],
        capture_output=True, text=True, check=True,
    )
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def ask(url, token, key, again=(503, 504)):
    """Calls as the page tells apps to: again after 503 and 504, for a busy machine takes longer than a call may. With 202
    also until an accepted erasure has ended."""
    end = time.monotonic() + 600
    answer = curl(url, token(), key)
    while answer[0] in again and time.monotonic() < end:
        answer = curl(url, token(), key)
    return answer


# Rows that name no user and belong to a user's row: they are deleted with it.
DEPENDENT = [
    ("auth.mfa_amr_claims", "session_id IN (SELECT id FROM auth.sessions WHERE user_id = :'id')"),
    ("auth.mfa_challenges", "factor_id IN (SELECT id FROM auth.mfa_factors WHERE user_id = :'id')"),
    ("public.comments", "post_id IN (SELECT id FROM public.posts WHERE user_id = :'id')"),
]


def dependent(project, person, tables):
    found = set()
    for table, condition in DEPENDENT:
        if table in tables:
            asked = f"SELECT '{table} ' || r::text FROM {table} AS r WHERE {condition};"
            found |= set(leftovers.psql(project.superuser, asked, id=person["id"]).splitlines())
    return found


def leave(project, person, url, alg, name):
    tables = leftovers.psql(project.superuser, leftovers.TABLES).splitlines()
    # The counters of the control store and the emptied queue of requests belong to no user.
    kept = [table for table in tables if not table.startswith(("farewell.", "net."))]
    before = leftovers.rows(project.superuser, person)
    check(f"{name}: there is something of them", sum(before.values()) >= 3, before)
    own, all_files = project.own_files(person), set(leftovers.files(project.endpoint))
    neighbours = set(leftovers.others(project.superuser, [person], kept)) - dependent(project, person, kept)
    stale = ask(url, lambda: project.token(person, alg, age=4000), project.facts["publishable_key"])
    check(f"{name}: an old sign-in is told apart", stale[0] == 403 and "erasure.sign-in-stale" in stale[1], stale)
    key = ask(url, lambda: project.facts["anon"], project.facts["anon"])
    check(f"{name}: the anon key is no user's token", key[0] == 401 and "token.project-key" in key[1], key)
    answer = ask(url, lambda: project.token(person, alg), project.facts["publishable_key"], again=(202, 503, 504))
    check(f"{name}: {alg}, deleted", answer == (200, '{"data":{"success":true}}'), answer)
    left = leftovers.rows(project.superuser, person)
    check(f"{name}: no row names them, in any table", left == {}, left)
    check(f"{name}: no file of theirs is there", not own & set(leftovers.files(project.endpoint)), own)
    check(f"{name}: no other user's file is deleted", set(leftovers.files(project.endpoint)) == all_files - own)
    now = set(leftovers.others(project.superuser, [person], kept))
    check(f"{name}: no other user's row was changed", neighbours == now, sorted(neighbours ^ now)[:3])
    again = ask(url, lambda: project.token(person, alg), project.facts["publishable_key"], again=(202, 503, 504))
    check(f"{name}: a lost answer is asked for again", again == answer, again)


def free_port():
    found = subprocess.run([sys.executable, str(ROOT / "Interop/free_port.py")], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def prepared(farewell, is_pooled=False):
    """An empty folder of an app, and a shell in it that knows the page's commands."""
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "bin").mkdir()
    (folder / "bin" / "farewell").symlink_to(farewell)
    (folder / "bin" / "supabase").write_text(STAND_IN)
    (folder / "bin" / "supabase").chmod(0o755)
    (folder / "stand-in.log").touch()
    app = folder / "app"
    (app / "supabase").mkdir(parents=True)
    (folder / "farewell").symlink_to(ROOT)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FAREWELL_")}
    clean |= {"PATH": f"{folder / 'bin'}:{clean['PATH']}", "STAND_IN_LOG": str(folder / "stand-in.log")}
    clean |= {"DENO_DIR": str(folder / "deno")}
    if is_pooled:
        del clean["PGTARGETSESSIONATTRS"]  # The pooler alone knows the primary.
    return app, Shell(app, clean), folder


def write_late(project, person):
    """A device writes with a valid token after the erasure; the second look comes when no token is valid."""
    seconds = "SELECT round(extract(epoch FROM look_at - now())) FROM farewell.keepsakes WHERE look_at IS NOT NULL"
    looks = [int(line) for line in project.sql(seconds).splitlines()]
    check("the second look waits for the last token", looks and all(3600 < look <= 3720 for look in looks), looks)
    project.sql(f"INSERT INTO public.push_tokens (token, user_id, platform) VALUES ('late', '{person['id']}', 'ios')")
    project.control(f"upload/avatars/{person['id']}/late.png", person["id"])
    check("something came after the end", leftovers.rows(project.superuser, person) != {})
    project.sql("UPDATE farewell.keepsakes SET look_at = now() WHERE look_at IS NOT NULL")
    end = time.monotonic() + 600
    while leftovers.rows(project.superuser, person) and time.monotonic() < end:
        time.sleep(1)
    left = leftovers.rows(project.superuser, person), project.own_files(person)
    check("the second look erases it", left == ({}, set()), left)


def call_procedure(project, person):
    """delete_auth_user(), which the app calls in the database by itself: deploy/delete_auth_user.sql, run by postgres."""
    leftovers.psql(project.facts["database"], (ROOT / "deploy/delete_auth_user.sql").read_text())
    call = "SET ROLE authenticated; SELECT set_config('request.jwt.claims', :'claims', false); SELECT public.delete_auth_user();"
    others = leftovers.others(project.superuser, [person], ["auth.users", "auth.sessions"])
    try:
        leftovers.psql(project.superuser, call, claims="{}")
        check("rpc: a call without a user deletes nothing", False)
    except RuntimeError as error:
        check("rpc: a call without a user deletes nothing", "no verified caller" in str(error), str(error))
    leftovers.psql(project.superuser, call, claims=json.dumps({"sub": person["id"], "role": "authenticated"}))
    left = leftovers.rows(project.superuser, person)
    check("rpc: the caller's account and sessions are gone", not {"auth.users", "auth.sessions"} & set(left), left)
    check("rpc: no other user's rows change", others == leftovers.others(project.superuser, [person], ["auth.users", "auth.sessions"]))


def broken_function(project, shell, functions):
    """doctor tells a function that the platform cannot run from one that does not reach the server."""
    project.control("function/delete-user", project.endpoint)
    project.control("status/503")
    status, said = shell.run("farewell doctor --supabase")
    project.control("status/0")
    project.control("function/delete-user", functions.addresses["delete-user"])
    said = " ".join(said.split())
    check("doctor names the platform's own refusal", status == 1 and "answers 503 instead of the function" in said, said)


def main():
    farewell, sample, system = sys.argv[1:]
    pair = Pair(pooled=system != "starter")
    project = shell = functions = folder = None
    try:
        project = Project(pair.server, 3 if system == "starter" else 0)
        if pair.pooler:
            project.facts["database"] = pair.pooler.address(project.facts["database"])
        people = fill(project, sample, system)
        app, shell, folder = prepared(farewell, pair.pooler is not None)
        functions = Functions(project, app, folder / "stand-in.log")
        port = free_port()
        definitions = project.definitions()
        walk(project, shell, functions, port, with_doctor=system == "starter")
        if system == "starter":
            broken_function(project, shell, functions)
        direct, gateway = f"http://127.0.0.1:{port}", project.endpoint
        ways = [(direct, "delete-account", "HS256"), (gateway, "delete-user", "HS256")]
        if len(people) >= 6:
            ways += [(direct, "delete-user", "ES256"), (gateway, "delete-account", "ES256")]
        for number, (base, route, alg) in enumerate(ways):
            if number == 1:
                growth.migrate(project)
                definitions = project.definitions()
                pair.fail_over()
            if alg == "ES256":
                project.control("move")
            way = "through the function" if base == gateway else "by curl"
            leave(project, people[number], f"{base}/functions/v1/{route}", alg, f"{system}, {way}, {route}")
        if system == "starter":
            write_late(project, people[0])
            growth.new_bucket(project, shell, people[2], direct, ask)
        if system == "sessions":
            call_procedure(project, people[4])
        check("nothing of auth and storage is defined otherwise", project.definitions() == definitions)
        log = (app / "server.log").read_text()
        check("the server's log holds no secret", project.facts["secret"] not in log and project.facts["secret_key"] not in log)
    finally:
        if functions:
            functions.end()
        if shell:
            shell.end()
        if project:
            project.end()
        pair.end()
        shutil.rmtree(folder or "", ignore_errors=True)


if __name__ == "__main__":
    main()
