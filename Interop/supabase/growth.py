# SPDX-License-Identifier: Apache-2.0
"""A project that changes under a running server: the vendor's migrations, and a bucket made after the plan was."""

import json
import re
import time
import urllib.request

import leftovers
from checks import check

# By the roles that run the vendor's migrations. None of them touches what a plan says.
MIGRATIONS = {
    "supabase_auth_admin": [
        "ALTER TABLE auth.users ADD COLUMN nickname text", "COMMENT ON TABLE auth.users IS 'theirs'",
        "CREATE UNIQUE INDEX ON auth.users (nickname)", "CREATE INDEX ON auth.sessions (created_at)",
        "CREATE STATISTICS auth.times ON created_at, updated_at FROM auth.users",
        "CREATE TABLE auth.badges (user_id uuid REFERENCES auth.users ON DELETE CASCADE)",
        "CREATE TABLE auth.settings (id uuid, name text)", "INSERT INTO auth.badges SELECT id FROM auth.users",
        "ALTER TABLE auth.sessions RENAME COLUMN tag TO label",
    ],
    "supabase_storage_admin": [
        "ALTER TABLE storage.objects ADD COLUMN colour text", "CREATE INDEX ON storage.objects (created_at)",
        "ALTER TABLE storage.buckets DROP COLUMN avif_autodetection",
    ],
}


def migrate(project):
    """The vendor migrates its own tables; every later deletion is as complete as before."""
    for role, statements in MIGRATIONS.items():
        leftovers.psql(re.sub("//[^@]+@", f"//{role}@", project.superuser), ";\n".join(statements) + ";")


def until(name, holds):
    end = time.monotonic() + 600
    while not holds() and time.monotonic() < end:
        time.sleep(1)
    check(name, holds())


def new_bucket(project, shell, person, server, ask):
    """Files in a bucket without a system stay until the plan has one, and no deletion is reported meanwhile."""

    def readiness():
        with urllib.request.urlopen(server + "/readyz") as answer:
            return json.load(answer)

    files = [f"chat/{person['id']}/voice.ogg", "chat/shared/voice.ogg"]
    project.sql("INSERT INTO storage.buckets (id, name) VALUES ('chat', 'chat')")
    for file in files:
        project.control(f"upload/{file}", person["id"])
    url = f"{server}/functions/v1/delete-account"
    answer = ask(url, lambda: project.token(person, "HS256"), project.facts["publishable_key"])
    check("new bucket: no deletion is reported", answer[0] in (202, 500) and "success\":true" not in answer[1], answer)
    until("new bucket: the server says so", lambda: readiness().get("erasures") == "waiting")
    found = set(project.control("files", None))
    check("new bucket: its files are there", set(files) <= found, files)
    causes = "SELECT string_agg(cause, ' ') FROM farewell.erasures WHERE state = 'needs attention'"
    until("new bucket: the cause names it", lambda: "chat" in project.sql(causes))
    status, said = shell.run("farewell init --merge")
    check("new bucket: init --merge adds its system", status == 0 and "storage-chat" in said, said)
    until("new bucket: the deletion continues", lambda: not set(files) & set(project.control("files", None)))
    until("new bucket: the server is content", lambda: "erasures" not in readiness())
