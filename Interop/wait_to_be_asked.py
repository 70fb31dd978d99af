# SPDX-License-Identifier: Apache-2.0
"""Sends the heads of requests and withholds their bodies until the server requests them (RFC 9110, 10.1.1).

    python Interop/wait_to_be_asked.py HOST PORT

The server must allow this address two calls. Exits with 0 if it requests the bodies that it wants, and refuses
other calls without their bodies, as the last on the connection.
"""

import socket
import sys

REFRESH = "/auth/v1/token?grant_type=refresh_token"
BODY = b'{"refresh_token":"' + b"x" * 40_000 + b'"}'


def check(what, is_right, found):
    if not is_right:
        sys.exit(f"{what}: {found[:400]!r}")


def asked(method, path, fields, version="1.1"):
    """A connection on which the head has been sent, and nothing else."""
    connection = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=120)
    connection.sendall(f"{method} {path} HTTP/{version}\r\nHost: localhost\r\n{fields}\r\n".encode())
    return connection


def head(connection):
    """The next head, byte by byte: later bytes stay unread."""
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        check("the connection ended in the middle of a head", byte, found)
        found += byte
    return found


def rest(connection):
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


def refused(what, status, method, path, fields):
    """No body is requested, and the connection ends with the answer."""
    with asked(method, path, fields) as connection:
        found = rest(connection)
        check(what, found.startswith(f"HTTP/1.1 {status} ".encode()) and found.count(b"HTTP/1.1 ") == 1, found)
        check(what, b"\r\nconnection: close\r\n" in found.lower(), found)


expecting = f"Content-Length: {len(BODY)}\r\nExpect: 100-Continue\r\n"
with asked("POST", REFRESH, expecting + "Connection: close\r\n") as connection:
    found = head(connection)
    check("asked for the body", found == b"HTTP/1.1 100 Continue\r\n\r\n", found)
    connection.sendall(BODY)
    found = rest(connection)
    check("answered after the body", found.startswith(b"HTTP/1.1 400 ") and b"validation_failed" in found, found)

refused("too large", 413, "POST", REFRESH, "Content-Length: 99999999\r\nExpect: 100-continue\r\n")
refused("one call too many", 429, "POST", REFRESH, expecting)
refused("no such path", 404, "POST", "/nowhere", expecting)
refused("no such method", 405, "PUT", "/healthz", expecting)
refused("no such path for HEAD", 404, "HEAD", "/nowhere", expecting)
refused("no HEAD", 405, "HEAD", "/auth/v1/signup", expecting)
refused("too large for HEAD", 413, "HEAD", "/healthz", "Content-Length: 99999999\r\nExpect: 100-continue\r\n")

with asked("POST", "/auth/v1/logout", expecting, version="1.0") as connection:
    connection.sendall(BODY)
    found = rest(connection)
    check("HTTP/1.0 is asked for nothing", found.startswith(b"HTTP/1.1 401 "), found)
