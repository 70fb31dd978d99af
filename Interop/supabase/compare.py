# SPDX-License-Identifier: Apache-2.0
"""Compares the usual deletion functions of teams with Farewell, on the same data: the remaining data, and the time.

    python Interop/supabase/compare.py FAREWELL SUPERUSER_ADDRESS [PEOPLE]
    python Interop/supabase/compare.py FAREWELL                             only prepares the app's folder, for a test

Beside a fake project with the app of app.sql, some people are erased in each of three ways; the page docs/adopting/supabase.md
prepares the third. An independent oracle (leftovers.py) reads every table and lists every file.

    admin     auth.admin.deleteUser(id), and nothing else
    usual     the function of some thirty lines: rows of the app's four tables, the user's folder in each bucket, deleteUser
    farewell  POST /functions/v1/delete-account, through the Edge Function
"""

import json
import shutil
import statistics
import sys
import time
import urllib.error
import urllib.request

import leftovers
import walk

# The knowledge of such a function's author about the app.
OWN_ROWS = [("comments", "author_id"), ("posts", "user_id"), ("push_tokens", "user_id"), ("profiles", "id")]


def call(project, method, path, body=None):
    request = urllib.request.Request(project.endpoint + path, method=method, data=json.dumps(body or {}).encode())
    for name, value in (("authorization", f"Bearer {project.facts['service']}"), ("content-type", "application/json")):
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def admin(project, person):
    return call(project, "DELETE", f"/auth/v1/admin/users/{person['id']}")[0]


def usual(project, person):
    """As the service role: the rows that its author remembers, the user's folder, the user."""
    for table, column in OWN_ROWS:
        leftovers.psql(project.superuser, f"SET ROLE service_role; DELETE FROM public.{table} WHERE {column} = :'id';", id=person["id"])
    for bucket in ("avatars", "documents"):
        _, entries = call(project, "POST", f"/storage/v1/object/list/{bucket}", {"prefix": person["id"], "limit": 100})
        paths = [f"{person['id']}/{entry['name']}" for entry in entries]
        if paths:
            call(project, "DELETE", f"/storage/v1/object/{bucket}", {"prefixes": paths})
    return admin(project, person)


def by_farewell(project, person):
    token = project.token(person, "HS256")
    return walk.curl(f"{project.endpoint}/functions/v1/delete-account", token, project.facts["publishable_key"])[0]


def measured(project, way, people):
    """The remaining data of one way, and the median time."""
    times, rows, files, statuses = [], {}, [], set()
    for person in people:
        own = project.own_files(person)
        begun = time.monotonic()
        statuses.add(way(project, person))
        times.append(time.monotonic() - begun)
        rows = leftovers.rows(project.superuser, person)
        files = sorted(own & set(leftovers.files(project.endpoint)))
    return {"statuses": sorted(statuses), "milliseconds": round(1000 * statistics.median(times)), "rows": rows, "files": files}


def prepare(farewell):
    app, shell, folder = walk.prepared(farewell)
    try:
        status, said = shell.run("pwd -P; readlink ../bin/farewell")
        walk.check("the app's folder is prepared", status == 0 and said.split() == [str(app.resolve()), farewell], said)
    finally:
        shell.end()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    farewell = sys.argv[1]
    if len(sys.argv) == 2:
        return prepare(farewell)
    server = sys.argv[2]
    each = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    project = walk.Project(server, 3 * each + 1)
    shell = functions = folder = None
    try:
        app, shell, folder = walk.prepared(farewell)
        functions = walk.Functions(project, app, folder / "stand-in.log")
        walk.walk(project, shell, functions, walk.free_port())
        people = project.facts["people"]
        before = leftovers.rows(project.superuser, people[0])
        print(json.dumps({"before": {"rows": before, "files": sorted(project.own_files(people[0]))}}, indent=1))
        for number, (name, way) in enumerate([("admin", admin), ("usual", usual), ("farewell", by_farewell)]):
            found = measured(project, way, people[number * each:(number + 1) * each])
            print(json.dumps({name: found}, indent=1))
    finally:
        if functions:
            functions.end()
        if shell:
            shell.end()
        project.end()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
