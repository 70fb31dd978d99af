# SPDX-License-Identifier: Apache-2.0
"""Compares a running Farewell server with its own /openapi.json by schemathesis.

    python Interop/run_schemathesis.py URL --key FILE

The server must let anonymous people sign up: each call of a person signs a new one up, so that calls which end
sessions or delete people take nothing from the others. All checks are on except one: that all described
input is accepted (positive_data_acceptance), because a wrong password fits the description and is refused.
Every operation gets the same number of examples, on a busy machine too. Afterwards only users are made, read, changed and
deleted, in any order.

Exits with schemathesis' status, or with 1 if an operation was never called, or a check had no case: that of
tokens (ignored_auth), that of deleted users (use_after_free), or that of statuses, which is silent if a description
has a default answer.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request

CONFIGURATION = """
hooks = "@HOOKS@"
request-timeout = 120
max-stream-events = 1

@STORIES@

[auth.openapi]
administrator = { bearer = "@KEY@" }
follower = { bearer = "@KEY@" }

[auth.dynamic.openapi.person]
path = "/auth/v1/signup"
method = "post"
payload = { email = "" }
extract_selector = "/access_token"
retry_on = [401, 403]
"""

# By the links of the description alone, and long enough to make, delete and read a user.
STORIES = """
[phases.stateful]
max-steps = 10
inference = { algorithms = [] }
"""

# Calls that every token may make first, whatever its other claims.
SERVED = {
    "GET /auth/v1/user", "POST /auth/v1/logout", "GET /v1/sessions", "GET /auth/v1/admin/users", "GET /v1/revocations",
}


def unseen(operations, whole, stories):
    """The operations that were not called or not checked, in words; nothing on success."""
    if whole is None or stories is None:
        return ["schemathesis did not come to its end"]
    enforced, answered = set(whole["enforced"]), set(whole["answered"])
    faults = [f"{operation} was never called" for operation in sorted(operations.keys() - whole["called"])]
    if not SERVED <= enforced:
        faults.append(f"ignored_auth never looked at {sorted(SERVED - enforced)}")
    if not answered <= enforced:
        faults.append(f"ignored_auth passed over {sorted(answered - enforced)}")
    if not stories["freed"].get("404"):
        faults.append(f"use_after_free never requested a deleted user: {stories['freed']}")
    return faults


def described(url):
    """The operations of the description, by the names that schemathesis has for them."""
    with urllib.request.urlopen(url + "/openapi.json", timeout=120) as answer:
        paths = json.load(answer)["paths"]
    return {
        f"{method.upper()} {path}": operation
        for path, operations in paths.items()
        for method, operation in operations.items()
    }


def vague(operations):
    """Those that may answer anything by their description."""
    return [name for name, operation in operations.items() if any(not status.isdigit() for status in operation["responses"])]


def run(given, stories, *options):
    """Schemathesis' status, and the cases of its checks; None when it did not complete."""
    key = pathlib.Path(given.key).read_text(encoding="ascii").strip()
    hooks = pathlib.Path(__file__).with_name("schemathesis_hooks.py")
    settings = CONFIGURATION.replace("@HOOKS@", str(hooks)).replace("@STORIES@", stories).replace("@KEY@", key)
    with tempfile.TemporaryDirectory() as folder:
        file, held = pathlib.Path(folder) / "schemathesis.toml", pathlib.Path(folder) / "held.json"
        file.write_text(settings, encoding="utf-8")
        program = pathlib.Path(sysconfig.get_path("scripts")) / "schemathesis"
        end = subprocess.run(
            [
                str(program), "--config-file", str(file), "run", given.url + "/openapi.json",
                "--checks", "all", "--exclude-checks", "positive_data_acceptance", "--seed", "20261121", "--no-shrink",
                "--generation-database", "none", "--no-color", "--suppress-health-check", "all", *options,
            ],
            cwd=folder, check=False, timeout=3600, env={**os.environ, "FAREWELL_HELD": str(held)},
        )
        found = json.loads(held.read_text(encoding="utf-8")) if held.exists() else None
    print(f"looked at: {json.dumps(found)}", flush=True)
    return end.returncode, found


def run_all(given, operations):
    """The same for all operations: operations that one run did not call are called in the next one.

    The first omits the description itself. A run with a time would use all of it, even for that one operation. Stories use
    all operations together, in the first run.
    """
    whole, only = {"called": [], "enforced": [], "answered": []}, []
    while True:
        status, found = run(given, "", "--max-examples", "15", *only)
        if status or found is None:
            return status, None
        left = operations.keys() - whole["called"]
        whole = {name: sorted({*whole[name], *found[name]}) for name in whole}
        rest = operations.keys() - whole["called"]
        if not rest or rest == left:
            return status, whole
        only = ["--phases", "coverage,fuzzing"] + [word for name in sorted(rest) for word in ("--include-name", name)]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("url")
    arguments.add_argument("--key", required=True)
    given = arguments.parse_args()
    operations = described(given.url)
    status, whole = run_all(given, operations)
    if status:
        return status
    people = ["--include-path-regex", "^/auth/v1/admin/users", "--phases", "stateful", "--max-examples", "25"]
    status, stories = run(given, STORIES, *people)
    faults = unseen(operations, whole, stories) + [f"{operation} may answer anything" for operation in vague(operations)]
    print("\n".join(faults))
    return status or (1 if faults else 0)


if __name__ == "__main__":
    sys.exit(main())
