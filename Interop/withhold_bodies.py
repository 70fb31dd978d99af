# SPDX-License-Identifier: Apache-2.0
"""Begins requests with large bodies, for which it has no token, and does not finish them.

    python Interop/withhold_bodies.py HOST PORT PID COUNT

Exits with 0 if each is refused before its body has arrived, and the process uses no memory for the received part.
"""

import socket
import sys

HOST, PORT, PID, COUNT = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
SIZE = 1_000_000
HEADS = [
    (f"Content-Length: {SIZE}\r\n", b"401"),
    (f"Content-Length: {SIZE}\r\nAuthorization: Bearer a.b.c\r\n", b"403"),
    ("Transfer-Encoding: chunked\r\n", b"401"),
    ("Content-Length: 50000\r\n", b"401"),
]


def resident():
    """Bytes that the process holds in memory."""
    with open(f"/proc/{PID}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


def begun(fields):
    connection = socket.create_connection((HOST, PORT), timeout=60)
    connection.sendall(f"PUT /auth/v1/user HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
    return connection


def status(connection):
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        part = connection.recv(1)
        if not part:
            sys.exit(f"ended without an answer: {found!r}")
        found += part
    return found.split()[1]


def pour(connection, fields):
    """Sends most of the body, as far as the server takes it."""
    connection.settimeout(0.2)
    part = b"a" * 45_000
    if "chunked" in fields:
        part = b"%x\r\n%s\r\n" % (len(part), part)
    try:
        for _ in range(1 if "50000" in fields else 20):
            connection.sendall(part)
    except OSError:
        pass


# Once for everything that the process makes only once.
for fields, right in HEADS:
    with begun(fields) as connection:
        found = status(connection)
        if found != right:
            sys.exit(f"{fields!r}: {found!r}")

before = resident()
connections = []
for number in range(COUNT):
    fields, right = HEADS[number % len(HEADS)]
    connection = begun(fields)
    connections.append(connection)
    found = status(connection)
    if found != right:
        sys.exit(f"{fields!r}: {found!r}")
    pour(connection, fields)
grown = resident() - before
if grown > 48 << 20:
    sys.exit(f"the server has grown by {grown >> 20} MB for {COUNT} bodies")
