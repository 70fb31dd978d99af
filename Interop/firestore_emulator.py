# SPDX-License-Identifier: Apache-2.0
"""The command on Google's own Firestore emulator: all data of a person is deleted, and no other document changes.

    python Interop/firestore_emulator.py FAREWELL

FAREWELL is the built command. Exits with 0 on success, with 1 and the reason on a failure, and
with 3 if the emulator is not installed (Debian: google-cloud-cli-firestore-emulator, and a Java runtime).

Documents are put there and looked at by Google's own client. Each place that a plan can name is tried in turn, with a
person whose name has a mark, and with neighbours whose names differ by capitals, normalisation, a further mark, a
wildcard or what comes after.
"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent / "fakes"))
from answer import alike  # noqa: E402
from free_port import free_ports  # noqa: E402

PERSON = "Ada_\u00e9"
PEOPLE = [PERSON, PERSON + "1", "1" + PERSON, "other", *alike(PERSON)]
MANY = 650


def program():
    """The emulator's own start script; `None` where it is not installed."""
    if found := shutil.which("cloud_firestore_emulator"):
        return found
    roots = ["/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk", str(pathlib.Path.home() / "google-cloud-sdk")]
    for root in roots:
        file = pathlib.Path(root, "platform/cloud-firestore-emulator/cloud_firestore_emulator")
        if file.exists():
            return str(file)
    return None


def start(script, folder):
    [port] = free_ports()
    log = open(f"{folder}/emulator.log", "w")
    emulator = subprocess.Popen([script, "start", "--host=127.0.0.1", f"--port={port}"], stdout=log, stderr=log, start_new_session=True)
    end = time.monotonic() + 600
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read()
            return emulator, f"127.0.0.1:{port}"
        except OSError:
            if emulator.poll() is not None or time.monotonic() > end:
                os.killpg(emulator.pid, signal.SIGTERM)
                raise SystemExit("the emulator did not start: " + open(f"{folder}/emulator.log").read()[-2000:]) from None
            time.sleep(0.2)


# MARK: What is there


def documents(db):
    """Every document with its contents, by its path, also below missing documents."""
    found = {}

    def walk(collection):
        for reference in collection.list_documents(page_size=300):
            document = reference.get()
            if document.exists:
                value = document.to_dict()
                found[reference.path] = json.dumps(value, sort_keys=True, default=lambda v: getattr(v, "path", str(v)))
            for below in reference.collections():
                walk(below)

    for collection in db.collections():
        walk(collection)
    return found


def settle(db):
    def put(path, value):
        writer.set(db.document(path), value)

    writer = db.bulk_writer()
    for number, who in enumerate(PEOPLE):
        for path in ["", "/notes/a", "/notes/b c%2F", "/chats/gone/messages/m1", "/" + "/".join(["deep/er"] * 20)]:
            put(f"users/{who}{path}", {"of": who})
        put(f"diaries/{who}/days/1", {"of": who})
        put(f"diaries/{who}/days/2/pictures/p", {"of": who})
        put(f"orders/of-{number}", {"owner": who, "number": number + 1, "nested": {"a.b": who}})
        put(f"orders/of-{number}/lines/1", {"of": who})
        put(f"shops/s{number}/orders/x", {"owner": who, "number": number + 1, "nested": {"a.b": who}})
        put(f"posts/of-{number}", {"author": db.document(f"users/{who}")})
        put(f"tagged/of-{number}", {"people": ["common", who]})
        put(f"followed/of-{number}", {"people": [db.document("users/common"), db.document(f"users/{who}")]})
        put(f"rooms/of-{number}", {"members": {who: True, "common": True}})
        put(f"keyed/of-{number}", {"key": f"USER#{who}"})
    for number in range(MANY):
        put(f"users/{PERSON}/many/{number:05d}", {"n": number})
    put("tagged/all", {"people": ["common", *PEOPLE]})
    put("rooms/all", {"members": dict.fromkeys(["common", *PEOPLE], True)})
    writer.close()


def below(*places):
    return lambda path, value: any(path == place or path.startswith(place + "/") for place in places)


def listed(value, name):
    return name in json.loads(value).get("people", [])


# What each plan says, and whether a document is the person's there. `edited` stay, without the person.
PLACES = [
    ("a document with everything below", {"path": "users/{person}"}, below(f"users/{PERSON}"), None),
    ("a collection of the person's", {"path": "diaries/{person}/days"}, below(f"diaries/{PERSON}/days"), None),
    ("a field", {"collection": "orders", "field": "owner"}, below("orders/of-0"), None),
    ("a field between backticks", {"collection": "orders", "field": "nested.`a.b`"}, below("orders/of-0"), None),
    ("a group of collections", {"collection": "orders", "field": "owner", "scope": "group"},
     below("orders/of-0", "shops/s0/orders/x"), None),
    ("a reference", {"collection": "posts", "field": "author", "type": "reference", "value": "users/{person}"},
     below("posts/of-0"), None),
    ("a template", {"collection": "keyed", "field": "key", "value": "USER#{person}"}, below("keyed/of-0"), None),
    ("an array, of which the person is taken out", {"collection": "tagged", "field": "people", "type": "array"},
     None, lambda path, value: path.startswith("tagged/") and listed(value, PERSON)),
    ("an array, whose documents go", {"collection": "tagged", "field": "people", "type": "array", "shared": "erase"},
     lambda path, value: path.startswith("tagged/") and listed(value, PERSON), None),
    ("an array of references",
     {"collection": "followed", "field": "people", "type": "array-of-references", "value": "users/{person}"},
     None, lambda path, value: path.startswith("followed/") and listed(value, f"users/{PERSON}")),
    ("the keys of a map", {"collection": "rooms", "field": "members", "type": "map"},
     None, lambda path, value: path.startswith("rooms/") and PERSON in json.loads(value).get("members", {})),
]
# Places that are not there, or hold something else: never "nothing there".
WRONG = [
    ("a collection that is not there", {"path": "user/{person}"}),
    ("a field that no document has", {"collection": "orders", "field": "own"}),
    ("a field of another type", {"collection": "posts", "field": "author"}),
    ("an array taken for text", {"collection": "tagged", "field": "people"}),
]


def edited(value):
    """A document of several people without the person."""
    found = json.loads(value)
    if "people" in found:
        found["people"] = [each for each in found["people"] if each not in (PERSON, f"users/{PERSON}")]
    found.get("members", {}).pop(PERSON, None)
    return json.dumps(found, sort_keys=True)


# MARK: The command


class App:
    """An app of one table, and the command beside it."""

    def __init__(self, farewell, host, settings):
        self.farewell, self.folder = farewell, tempfile.mkdtemp()
        database = sqlite3.connect(f"{self.folder}/app.sqlite")
        database.execute("CREATE TABLE accounts (sub TEXT PRIMARY KEY NOT NULL)")
        database.executemany("INSERT INTO accounts VALUES (?)", [(who,) for who in PEOPLE])
        database.commit()
        database.close()
        plan = {
            "farewell": 1, "subject": {"table": "accounts", "key": "sub"},
            "tables": {"accounts": {"rule": "erase", "columns": ["sub"]}},
            "systems": {"documents": {"kind": "firestore", "settings": {"project": "farewell-test"} | settings}}}
        pathlib.Path(self.folder, "farewell.yaml").write_text(json.dumps(plan, ensure_ascii=False))
        self.environment = {n: v for n, v in os.environ.items() if not n.startswith(("GOOGLE_", "FAREWELL_"))} | {
            "FIRESTORE_EMULATOR_HOST": host, "FAREWELL_DATABASE_URL": f"sqlite:{self.folder}/app.sqlite"}

    def run(self, *words):
        done = subprocess.run(
            [self.farewell, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def expect(self, status, *words):
        found, said = self.run(*words)
        if found != status:
            raise SystemExit(f"farewell {' '.join(words)} ended with {found} and not {status}: {said}")
        return said


def clear(host):
    urllib.request.urlopen(urllib.request.Request(
        f"http://{host}/emulator/v1/projects/farewell-test/databases/(default)/documents", method="DELETE"))


def main(farewell):
    script = program()
    if not script or not shutil.which("java"):
        print("not run: Google's Firestore emulator is not installed")
        return 3
    with tempfile.TemporaryDirectory() as folder:
        emulator, host = start(script, folder)
        try:
            os.environ["FIRESTORE_EMULATOR_HOST"] = host
            from google.cloud import firestore
            db = firestore.Client(project="farewell-test")
            for what, settings, goes, changes in PLACES:
                clear(host)
                settle(db)
                before = documents(db)
                expected = {
                    path: edited(value) if changes and changes(path, value) else value
                    for path, value in before.items() if not (goes and goes(path, value))}
                assert expected != before, f"{what}: nothing of the person's is there"
                app = App(farewell, host, settings)
                app.expect(0, "erase", "--subject", PERSON, "--yes")
                after = documents(db)
                wrong = sorted(set(after.items()) ^ set(expected.items()))
                if wrong:
                    raise SystemExit(f"{what}: {len(wrong)} documents are not as they should be: {wrong[:4]}")
                app.expect(0, "verify", "--subject", PERSON)
                print(f"ok  {what}: {len(before) - len(after)} gone, {len(after)} stay")
            clear(host)
            settle(db)
            before = documents(db)
            for what, settings in WRONG:
                app = App(farewell, host, settings)
                status, said = app.run("erase", "--subject", PERSON, "--yes")
                if status == 0 or documents(db) != before:
                    raise SystemExit(f"{what}: the erasure ended with {status}: {said}")
                print(f"ok  {what}: refused")
        finally:
            # The script has started the emulator as a child of its own.
            os.killpg(emulator.pid, signal.SIGTERM)
            emulator.wait(timeout=30)
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
