# SPDX-License-Identifier: Apache-2.0
"""Finds loopback ports for programs that must know their port beforehand, or keep it over a restart.

    python Interop/free_port.py            prints one
    python Interop/free_port.py COUNT      prints as many, all different

Nothing listens there, browsers accept them, and the system does not assign them to programs that request any port. Ports are given
in turn, so that a program may begin to listen minutes later, or listen again, and still has its port for itself.
"""

import contextlib
import fcntl
import os
import random
import socket
import sys
import tempfile


def free_ports(count=1):
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        given = range(*map(int, file.read().split()))
    ports = [port for port in range(10_100, 60_000) if port not in given]
    with contextlib.ExitStack() as listening, next_turn() as turn:
        free = []
        while len(free) < count:
            probe = listening.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                # Where the system gives away all of them there is nothing better.
                probe.bind(("127.0.0.1", ports[next(turn) % len(ports)] if ports else 0))
                free.append(probe.getsockname()[1])
        return free


@contextlib.contextmanager
def next_turn():
    """Numbers that go on where the last program of this user ended; one program at a time has them."""
    with open(os.path.join(tempfile.gettempdir(), f"farewell-ports-{os.getuid()}"), "a+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        last = file.read()
        turn = iter(range(int(last) if last.isdecimal() else random.randrange(1 << 20), sys.maxsize))
        yield turn
        file.truncate(0)
        file.write(str(next(turn)))


if __name__ == "__main__":
    print(*free_ports(*map(int, sys.argv[1:])), sep="\n")
