# SPDX-License-Identifier: Apache-2.0
"""The functions of a page, deployed and run under Deno like on the vendor's platform."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

from checks import check

BESIDE = pathlib.Path(sys.executable).parent / "deno"
DENO = str(BESIDE) if BESIDE.exists() else shutil.which("deno")


class Functions:
    """Runs the deployed function, like the platform."""

    def __init__(self, project, folder, log):
        self.project, self.folder, self.log = project, folder, log
        self.processes, self.addresses = [], {}

    def deploy(self):
        lines = self.log.read_text().splitlines()
        secrets = dict(line.split()[2].split("=", 1) for line in lines if line.startswith("secrets set "))
        for line in lines:
            words = line.split()
            if words[:2] != ["functions", "deploy"]:
                continue
            check("deployed without the platform's own check", "--no-verify-jwt" in words, line)
            for name in (word for word in words[2:] if not word.startswith("-")):
                self.start(self.folder / "supabase" / "functions" / name / "index.ts", name, secrets)

    def start(self, file, name, secrets):
        process = subprocess.Popen(
            [DENO, "run", "--no-remote", "--no-prompt", "--allow-net", "--allow-env", str(file)],
            env={**os.environ, **secrets, "DENO_SERVE_ADDRESS": "tcp:127.0.0.1:0", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        said = ""
        while not (match := re.search(r"http://127\.0\.0\.1:\d+", said)):
            line = process.stdout.readline()
            check(f"function {name} runs", bool(line), said)
            said += line
        threading.Thread(target=process.stdout.read, daemon=True).start()
        self.addresses[name] = match[0]
        self.project.control(f"function/{name}", match[0])
        self.processes.append(process)

    def end(self):
        for process in self.processes:
            process.terminate()
            process.wait()
