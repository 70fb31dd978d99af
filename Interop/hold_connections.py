# SPDX-License-Identifier: Apache-2.0
"""Opens many silent or very slow connections to a server, and checks that others are served.

    python Interop/hold_connections.py HOST PORT COUNT IDLE

Ends with 0 when the server keeps the connections, answers others all the while, ends slow requests, and closes silent
connections in the end, but none that was silent for less than IDLE seconds. The server is expected to time requests out
after seconds, and silence after IDLE. How quick the machine is does not matter, only that everything comes to its end.
"""

import resource
import select
import socket
import sys
import time


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def ask(host, port, text, wait=120.0):
    """The answer to a request, and how long it took."""
    begin = time.monotonic()
    with socket.create_connection((host, port), timeout=wait) as connection:
        connection.sendall(text)
        answer = connection.recv(65536)
    return answer, time.monotonic() - begin


def served(host, port, when):
    for _ in range(20):  # a busy machine may take longer for an answer than a request may
        answer, took = ask(host, port, HEALTH)
        print(f"{when}: {answer[:15]!r} after {took:.3f} s", flush=True)
        if answer.startswith(b"HTTP/1.1 200"):
            return
    sys.exit(f"not served {when}")


def slow_body(host, port):
    """The server must give up a body that arrives at one byte each half second."""
    begin = time.monotonic()
    with socket.create_connection((host, port), timeout=120) as connection:
        connection.sendall(b"POST /auth/v1/signup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
        connection.settimeout(0.5)
        while time.monotonic() - begin < 120:
            try:
                connection.sendall(b" ")
                answer = connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                answer = b""
            took = time.monotonic() - begin
            print(f"slow body: {answer[:15]!r} after {took:.1f} s", flush=True)
            if answer and not answer.startswith(b"HTTP/1.1 504"):
                sys.exit("a slow body got another answer")
            return
    sys.exit("a slow body was waited for")


def closed_early(opened, idle):
    """How many connections, each with the time of its opening, ended or got bytes a second or more before their time."""
    connections = [connection for connection, begin in opened if time.monotonic() - begin < idle - 1]
    watch = select.poll()  # select itself ends at 1,024 files
    for connection in connections:
        watch.register(connection, select.POLLIN)
    return len(watch.poll(0))


def main():
    host, port, count, idle = sys.argv[1], *map(int, sys.argv[2:5])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 200
    if hard != resource.RLIM_INFINITY and hard < wanted:
        sys.exit(f"{count} connections need {wanted} open files, and this system allows {hard}: raise its hard limit")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    served(host, port, "before")
    slow_body(host, port)
    held, silent = [], []
    for number in range(count):
        begin = time.monotonic()
        connection = socket.create_connection((host, port), timeout=120)
        if number % 10 == 0:
            connection.sendall(b"GET /heal")  # a head that never ends
        else:
            silent.append((connection, begin))
        held.append(connection)
    early = closed_early(silent, idle)
    print(f"{len(held)} connections opened, {early} of {len(silent)} silent ones closed early", flush=True)
    if early > 0:
        sys.exit("silent connections are closed too early")
    served(host, port, "with all of them")
    deadline = time.monotonic() + 900
    closed = 0
    for connection in held:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            while connection.recv(4096):
                pass
            closed += 1
        except TimeoutError:
            break
        except OSError:
            closed += 1
    print(f"{closed} closed by the server", flush=True)
    if closed < len(held):
        sys.exit("silent connections are kept")
    served(host, port, "after")


if __name__ == "__main__":
    main()
