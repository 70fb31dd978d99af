# SPDX-License-Identifier: Apache-2.0
"""A Linux desktop's session for tests: a D-Bus of its own, a GNOME Keyring on it, both in a home of their own.

    python Interop/desktop_session.py HOME unlocked|locked|nobody|alone < COMMANDS

Runs each line of standard input as a command of the session, its words separated by spaces, and prints its output.
`unlocked` and `locked` are states of the keyring, `nobody` is a bus without a keyring, `alone` is no bus at all.

All of the session is one group of processes that is killed at the end, whatever happens, and after some minutes.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={bus}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
PATIENCE = 600


def wait(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"desktop: {what} never came to be")
        time.sleep(0.02)


class Session:
    def __init__(self, home, kind):
        self.home, self.kind = home, kind
        self.bus = home / "bus"
        (home / "run").mkdir(parents=True, exist_ok=True, mode=0o700)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("DBUS_", "GNOME_", "XDG_"))}
        self.environment |= {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.bus}",
        }

    def start(self, words, **more):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(words, env=self.environment, **(quiet | more))

    def begin(self):
        if self.kind == "alone":
            return
        self.bus.unlink(missing_ok=True)
        configuration = self.home / "bus.conf"
        configuration.write_text(CONFIGURATION.format(bus=self.bus))
        self.start(["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={configuration}"])
        wait(lambda: self.call("ListNames") is not None, "the bus")
        if self.kind == "nobody":
            return
        words = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        if self.kind == "unlocked":
            keyring = self.start([*words, "--unlock"], stdin=subprocess.PIPE)
            keyring.stdin.write(b"secret")
            keyring.stdin.close()
        else:
            self.start(words)
        wait(lambda: self.call("GetNameOwner", "string:org.freedesktop.secrets") is not None, "the keyring")

    def call(self, method, *arguments):
        words = ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
        done = subprocess.run(
            [*words, f"org.freedesktop.DBus.{method}", *arguments],
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        return done.stdout if done.returncode == 0 else None

    def run(self, words):
        done = subprocess.run(
            words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        print(done.stdout, end="", flush=True)


def main():
    commands = [line.split() for line in sys.stdin.read().splitlines() if line.strip()]
    # The parent of the session's group: it stays out of it, so that it can kill it.
    child = os.fork()
    if child == 0:
        os.setsid()
        session = Session(pathlib.Path(sys.argv[1]), sys.argv[2])
        session.begin()
        for words in commands:
            session.run(words)
        sys.stdout.flush()
        os._exit(0)

    def end(*_):
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, end)
    signal.alarm(4 * PATIENCE)
    try:
        _, status = os.waitpid(child, 0)
    finally:
        end()
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


main()
