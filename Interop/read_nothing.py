# SPDX-License-Identifier: Apache-2.0
"""Requests much from a server without reading it, and measures the cost for the server and for others.

    python Interop/read_nothing.py HOST PORT PID KEY

PID  the server's process, on this machine
KEY  the key that follows revocations: the feed has more of them than a connection buffers unread

The server must cut off, after some seconds, a client that reads nothing. Exits with 0 if it does so, answers others
meanwhile, holds only a fraction of the requested data in memory, and serves a reader completely that is slow for longer than
those seconds.
"""

import os
import socket
import sys
import time

CROWD = 10
# Of each who does not read: more than the systems of both sides keep for a connection.
CALLS = 300
HEALTH = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
LARGE = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Server:
    def __init__(self, host, port, pid):
        self.place, self.pid = (host, port), pid
        self.most = 0

    def connected(self, text):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.settimeout(120)
        connection.connect(self.place)
        connection.sendall(text)
        return connection

    def served(self, when):
        answer = read(self.connected(HEALTH))
        if not answer.startswith(b"HTTP/1.1 200"):
            sys.exit(f"not served {when}: {answer[:40]!r}")
        self.most = max(self.most, self.memory())

    def memory(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))

    def connections(self):
        count = 0
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                count += os.readlink(f"/proc/{self.pid}/fd/{name}").startswith("socket:")
            except FileNotFoundError:
                pass
        return count


def read(connection, pause=0.0):
    """Everything until the other side ends it, in pieces with a pause between them."""
    data, piece = bytearray(), 1
    while piece:
        wanted, piece = 1 << 20, b""
        try:
            while wanted and (part := connection.recv(wanted)):
                piece += part
                wanted -= len(part)
        except ConnectionResetError:
            break
        data += piece
        time.sleep(pause)
    connection.close()
    return bytes(data)


def main():
    host, port, pid, key = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    server = Server(host, port, pid)
    size = len(read(server.connected(LAST)))
    server.served("before")
    before, alone = server.memory(), server.connections()
    for _ in range(50):  # those that have just been served go
        time.sleep(0.05)
        alone = min(alone, server.connections())
    feed = f"GET /v1/revocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    crowd = [server.connected(feed) for _ in range(CROWD)] + [server.connected(LARGE * CALLS) for _ in range(CROWD)]
    deadline = time.monotonic() + 600
    while server.connections() < alone + len(crowd):
        if time.monotonic() > deadline:
            sys.exit("they are not connected")
        time.sleep(0.01)
    server.served("with all of them")
    while server.connections() > alone:
        if time.monotonic() > deadline:
            sys.exit("who reads nothing is kept")
        server.served("while they read nothing")
        time.sleep(0.1)  # The server's memory changes slowly, and each question costs it work.
    grown = server.most - before
    print(f"cut off; {grown >> 20} MiB more memory at the most, {CROWD * CALLS * size >> 20} MiB asked for", flush=True)
    if grown > CROWD * CALLS * size // 3:
        sys.exit("unread output fills the memory")
    for connection in crowd[CROWD:]:
        count = read(connection).count(b"HTTP/1.1 200")
        if count >= CALLS:
            sys.exit("everything was written, although no client read it")
    for connection in crowd[:CROWD]:
        read(connection)
    slow = read(server.connected(LARGE * (CALLS - 1) + LAST), pause=0.7).count(b"HTTP/1.1 200")
    print(f"who reads slowly got {slow} answers", flush=True)
    if slow != CALLS:
        sys.exit("who reads slowly is cut off")
    server.served("after")


if __name__ == "__main__":
    main()
