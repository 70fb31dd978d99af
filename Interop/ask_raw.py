# SPDX-License-Identifier: Apache-2.0
"""Sends bytes to a server as they are and shows all that it answers: ask_raw.py HOST PORT < request"""

import socket
import sys


def main() -> None:
    host, port = sys.argv[1], int(sys.argv[2])
    request = sys.stdin.buffer.read().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    with socket.create_connection((host, port), timeout=120) as connection:
        connection.sendall(request)
        while answer := connection.recv(65536):
            sys.stdout.buffer.write(answer)


main()
