# SPDX-License-Identifier: Apache-2.0
"""A client that is killed between the server's answer and its own writing it down.

    python Interop/killed_client.py URL FILE

Reads {"refresh_token", "nonce"} from FILE, where it stored the nonce before it asks; asks for a refresh; and as soon as
the answer's first byte is there says so, and reads no further: it waits to be killed. Nothing of the answer is kept.
"""

import json
import signal
import socket
import sys
from urllib.parse import urlsplit

url, file = sys.argv[1:]
with open(file, encoding="utf-8") as kept:
    body = kept.read().encode()
json.loads(body)
place = urlsplit(url)
with socket.create_connection((place.hostname, place.port), timeout=120) as connection:
    head = f"POST {place.path}/token?grant_type=refresh_token HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    connection.recv(1, socket.MSG_PEEK)
    print("answered", flush=True)
    signal.pause()
