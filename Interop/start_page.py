# SPDX-License-Identifier: Apache-2.0
"""Follows docs/start.md word for word: runs each command of the page in order, in an empty folder, and compares each
output block with what the command prints. Times, keys, tickets, sizes and durations may differ, and identifiers as well:
the page and the output have the same identifier at the same places.

usage: start_page.py COMMAND PORT ADDRESS      COMMAND: the built `farewell`; PORT: a free one; ADDRESS: a PostgreSQL server

The page's port and its PostgreSQL address are replaced by those given; the build in step 1 is left out.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = (REPOSITORY / "docs/start.md").read_text()
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)
END = "__the_end_of__"
SQLITE = """#!/usr/bin/env python3
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.executescript(sys.stdin.read())
base.commit()
"""


def norm(text, identifiers):
    """The text without what differs from run to run; each identifier becomes its number in order of appearance."""
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| UTC)", "TIME", text)
    text = re.sub(r"(?!a0000000)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                  lambda match: f"ID{identifiers.setdefault(match[0], len(identifiers) + 1)}", text)
    text = re.sub(r"key [\w-]{43}", "key KEY", text)
    text = re.sub(r'"ticket":"[^"]*"', '"ticket":TICKET', text)
    text = re.sub(r"Took [\d.]+ m?s", "Took T", text)
    text = re.sub(r"[\d,]+ bytes", "N bytes", text)
    text = re.sub(r"(✓ (farewell|database|clock) +).*", r"\1…", text)
    return "\n".join(line.rstrip() for line in text.strip().split("\n") if line.strip())


class Shell:
    """One bash in one folder, as a newcomer has it."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.process = subprocess.Popen(
            ["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def run(self, command):
        self.process.stdin.write(f"{command}\necho; echo {END} $?\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(END):
                return "".join(lines).rstrip("\n"), int(line.split()[1])
            lines.append(line)
        sys.exit(f"the shell ended during: {command}")

    def serve(self, command, port):
        self.run(f"{command} > server.out 2> server.log & SERVER=$!")
        self.run(f"curl -s -o {os.devnull} --retry 200 --retry-delay 1 --retry-connrefused http://127.0.0.1:{port}/healthz")
        return self.run("cat server.out")[0]

    def close(self):
        _, status = self.run('if [ -n "$SERVER" ]; then kill $SERVER; wait $SERVER; fi')
        self.process.stdin.close()
        self.process.wait()
        return status


def walk(body, shell, port, failures):
    """Runs the blocks of a part of the page."""
    identifiers = {"page": {}, "output": {}}
    for kind, code in BLOCK.findall(body):
        code = code.replace("127.0.0.1:9999", f"127.0.0.1:{port}")
        if kind == "sql":
            (shell.folder / "notes.sql").write_text(code)
        elif kind == "yaml" and code.startswith("  "):
            replace_entry(shell.folder / "farewell.yaml", code)
        elif kind == "yaml":
            (shell.folder / "server.yaml").write_text(code)
        elif kind == "sh" and "swift build" not in code:
            output, status = shell.run(code)
            if status != 0:
                failures.append(f"{code}\nends with {status}:\n{output}")
        elif kind == "console":
            for part in re.split(r"^\$ ", code, flags=re.M)[1:]:
                compare(*part.split("\n", 1), shell, port, identifiers, failures)


def compare(command, expected, shell, port, identifiers, failures):
    if " serve " in command:
        output = shell.serve(command, port)
    else:
        if "X-Farewell-Ticket" in command:
            # Steps have a state as well; the receipt is there at the end.
            shell.run(f"for N in $(seq 600); do {command} | grep -q '\"receipt\"' && break; sleep 0.1; done")
        output, _ = shell.run(command)
    expected, printed = norm(expected, identifiers["page"]), norm(output, identifiers["output"])
    if printed != expected:
        failures.append(f"$ {command}\nexpected:\n{expected}\nprinted:\n{printed}")


def replace_entry(path, code):
    """Puts an entry in the place of the one with its name, as the page asks."""
    name = code.split(":")[0]
    plan = path.read_text()
    changed = re.sub(rf"{re.escape(name)}:\n(    .*\n)+", lambda _: code, plan)
    if changed == plan:
        sys.exit(f"the plan has no entry {name.strip()}")
    path.write_text(changed)


def postgresql(part, shell, server, port, failures):
    """The lines that differ on PostgreSQL, then the steps that they belong to."""
    name = f"start_{os.getpid()}"
    address = urllib.parse.urlsplit(server)
    base = urllib.parse.urlunsplit((address.scheme, address.netloc, "", address.query, ""))
    for variable, value in [("PGHOST", address.hostname), ("PGPORT", address.port), ("PGUSER", address.username),
                            ("PGPASSWORD", address.password)]:
        if value:
            shell.run(f"export {variable}='{value}'")
    for key, value in urllib.parse.parse_qsl(address.query):
        if key in ("host", "port", "user"):
            shell.run(f"export PG{key.upper()}='{value}'")

    def own(database):
        return urllib.parse.urlunsplit((address.scheme, address.netloc, "/" + database, address.query, ""))

    part = part.replace("postgresql://localhost/notes_sign_in", own(name + "_sign_in"))
    part = part.replace("postgresql://localhost/notes", own(name))
    part = re.sub(r"createdb notes_sign_in", f"createdb {name}_sign_in", part)
    part = re.sub(r"createdb notes\b", f"createdb {name}", part)
    part = part.replace("psql -q notes", f"psql -q {name}")
    try:
        walk(part, shell, port, failures)
        entry = re.search(r"```yaml\n(  invoices:.*?)```", PAGE, re.S).group(1)
        entry = entry.replace("  invoices:", "  public.invoices:").replace("to: accounts.id", "to: public.accounts.id")
        for step in ["farewell decide --table comments --answer owner", "farewell rehearse --sample 20",
                     "farewell check", "farewell erase --subject $BEN --yes --deep",
                     "farewell verify --subject $BEN --deep", "farewell receipt verify"]:
            if "rehearse" in step:
                replace_entry(shell.folder / "farewell.yaml", entry)
            output, status = shell.run(step)
            if status != 0:
                failures.append(f"PostgreSQL: {step} ends with {status}:\n{output}")
        shell.serve("farewell serve --settings server.yaml", port)
        for block in re.findall(r"```sh\n(curl.*?|TOKEN.*?)```", PAGE, re.S):
            shell.run(block.replace("127.0.0.1:9999", f"127.0.0.1:{port}"))
        asked, _ = shell.run(
            f'curl -s http://127.0.0.1:{port}/v1/erasures -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: $TICKET" '
            '-H "Prefer: wait=20" -d "{\\"ticket\\": \\"$TICKET\\"}"')
        if '"state":"done"' not in asked:
            failures.append(f"PostgreSQL: the erasure by a call is not done:\n{asked}")
        verified, _ = shell.run("farewell receipt verify")
        identifier = re.search(r'"id":"([^"]*)"', asked)
        if identifier and identifier[1] not in verified:
            failures.append(f"PostgreSQL: the newest receipt is not the server's:\n{verified}")
    finally:
        status = shell.close()
        for database in [name, name + "_sign_in"]:
            subprocess.run(["psql", "-Xq", own("postgres"), "-c", f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)'])
    return status


def main():
    command, port, server = sys.argv[1:]
    folder = Path(tempfile.mkdtemp(prefix="farewell-start-"))
    failures = []
    try:
        (folder / "bin").mkdir()
        (folder / "bin/farewell").symlink_to(Path(command).resolve())
        if shutil.which("sqlite3") is None:
            (folder / "bin/sqlite3").write_text(SQLITE)
            (folder / "bin/sqlite3").chmod(0o755)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FAREWELL_")}
        environment.update(PATH=f"{folder}/bin:{os.environ['PATH']}", FAREWELL_HTTP_PORT=port, COLUMNS="80")
        # On a busy machine a password's hash takes longer than a call may.
        environment.update(FAREWELL_LIMITS_REQUEST_TIMEOUT="120")
        first, rest = PAGE.split("## PostgreSQL\n", 1)
        for name in ["sqlite", "postgresql"]:
            (folder / name).mkdir()
        shell = Shell(folder / "sqlite", environment)
        walk(first, shell, port, failures)
        ended = [shell.close()]
        (folder / "postgresql/notes.sql").write_text((folder / "sqlite/notes.sql").read_text())
        shell = Shell(folder / "postgresql", environment)
        shell.run("BEN=a0000000-0000-4000-8000-000000000002")
        ended.append(postgresql(rest.split("\n## ", 1)[0], shell, server, port, failures))
        if ended != [0, 0]:
            failures.append(f"the servers end with {ended}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if failures:
        sys.exit("\n\n".join(failures))
    print("each command of docs/start.md works as written")


main()
