# SPDX-License-Identifier: Apache-2.0
"""Holds a running Farewell server against its own /openapi.json with schemathesis.

    python Interop/run_schemathesis.py URL --key FILE [--seconds 40]

The server must let anonymous people sign up: each call of a person signs a new one up, so that calls which end
sessions or delete people take nothing from the others. All checks are on but one: that whatever the description
allows is accepted (positive_data_acceptance), since a wrong password is well described and refused all the same.
Ends with schemathesis' status.
"""

import argparse
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

CONFIGURATION = """
hooks = "@HOOKS@"
request-timeout = 120
max-stream-events = 1

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

# Who is deleted softly stays for administrators to see, as the contract has it: no use after free.
HOOKS = """
import schemathesis


@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict) and body.get("should_soft_delete") is True:
        return {**body, "should_soft_delete": False}
    return body
"""


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("url")
    arguments.add_argument("--key", required=True)
    arguments.add_argument("--seconds", default="40")
    given = arguments.parse_args()
    key = pathlib.Path(given.key).read_text(encoding="ascii").strip()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "schemathesis.toml"
        hooks = pathlib.Path(folder) / "hooks.py"
        hooks.write_text(HOOKS, encoding="utf-8")
        file.write_text(CONFIGURATION.replace("@KEY@", key).replace("@HOOKS@", str(hooks)), encoding="utf-8")
        program = pathlib.Path(sysconfig.get_path("scripts")) / "schemathesis"
        end = subprocess.run(
            [
                str(program), "--config-file", str(file), "run", given.url + "/openapi.json",
                "--checks", "all", "--exclude-checks", "positive_data_acceptance",
                "--max-time", given.seconds, "--max-examples", "40", "--seed", "20261121", "--no-shrink",
                "--generation-database", "none", "--no-color", "--suppress-health-check", "all",
            ],
            cwd=folder, check=False, timeout=900,
        )
    return end.returncode


if __name__ == "__main__":
    sys.exit(main())
