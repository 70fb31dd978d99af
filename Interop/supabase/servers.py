# SPDX-License-Identifier: Apache-2.0
"""What is between a command and its data: two servers of which one fails, and a pooler in front of them."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import leftovers
from checks import check

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "Scripts" / "postgres"


def script(*arguments):
    done = subprocess.run([str(SCRIPT), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.strip()


def folder():
    """In memory where there is room, like the tests' own server, whose script removes what a killed program left there."""
    memory = pathlib.Path("/dev/shm")
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30
    made = tempfile.mkdtemp(prefix="farewell-pg.", dir=memory if has_room else None)
    pathlib.Path(made, "owner").write_text(str(os.getpid()))
    os.chmod(made, 0o755)  # The servers' own user must be able to enter.
    return made


class Pooler:
    """A pgbouncer in transaction mode, whose sessions at the server are the project's role postgres."""

    def __init__(self, server):
        self.server, self.folder = server, folder()
        self.pool = script("pool", self.folder, "transaction", server, "postgres")

    def follow(self, server):
        script("follow", self.folder, server)

    def address(self, direct):
        return re.sub(r"@[^/]+", "@" + re.search(r"@([^/]+)", self.pool)[1], direct)

    def end(self):
        script("remove", self.folder)


class Pair:
    """A primary and its streaming replica, in one address; `pooled`: a pooler in front of the primary."""

    def __init__(self, pooled):
        # A server that is killed leaves its files to the kernel, so that it need not wait for the disk.
        os.environ["FAREWELL_POSTGRES_OPTIONS"] = "-c fsync=off"
        self.folders = [folder(), folder()]
        self.primary = script("start", self.folders[0])
        self.replica = script("replica", self.folders[1], self.primary)
        places = ",".join(re.search(r"@([^/]+)", address)[1] for address in (self.primary, self.replica))
        self.server = f"postgresql://farewell@{places}/postgres"
        # For every program that this one starts.
        os.environ["PGTARGETSESSIONATTRS"] = "read-write"
        self.pooler = Pooler(self.primary) if pooled else None

    def fail_over(self):
        place = leftovers.psql(self.primary, "SELECT pg_current_wal_lsn()")
        asked = "SELECT pg_last_wal_replay_lsn() >= :'place'::pg_lsn;"
        end = time.monotonic() + 600
        while self.at_replica(asked, place) != "t" and time.monotonic() < end:
            time.sleep(0.1)
        check("the replica has everything", self.at_replica(asked, place) == "t")
        script("stop", self.folders[0])
        script("promote", self.folders[1])
        if self.pooler:
            self.pooler.follow(self.replica)

    def at_replica(self, asked, place):
        return leftovers.psql(self.replica + "?target_session_attrs=any", asked, place=place)

    def end(self):
        if self.pooler:
            self.pooler.end()
        for made in reversed(self.folders):
            script("remove", made)
