# SPDX-License-Identifier: Apache-2.0
"""Finds loopback ports for programs that must know their port beforehand, or keep it over a restart.

    python Interop/free_port.py            prints one
    python Interop/free_port.py COUNT      prints as many, all different

Nothing listens there, browsers accept them, and the system does not assign them to programs that request any port.
"""

import contextlib
import random
import socket
import sys


def free_ports(count=1):
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        given = range(*map(int, file.read().split()))
    ports = [port for port in range(10_100, 60_000) if port not in given]
    random.shuffle(ports)
    with contextlib.ExitStack() as listening:
        free = []
        while len(free) < count:
            probe = listening.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                # Where the system gives away all of them there is nothing better.
                probe.bind(("127.0.0.1", ports.pop() if ports else 0))
                free.append(probe.getsockname()[1])
        return free


if __name__ == "__main__":
    print(*free_ports(*map(int, sys.argv[1:])), sep="\n")
