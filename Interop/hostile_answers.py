# SPDX-License-Identifier: Apache-2.0
"""A server whose answers are an attack or an accident, on the wire.

    python Interop/hostile_answers.py

Prints its address. Ends when its standard input does.

    /drip       200, and then a byte now and then, without an end
    /headers    a header now and then, without an end
    /long       200 with ten megabytes of JSON
    /flood      200 with a body that never ends, as fast as it is read
    /refusal    500 with a body that never ends
    /half       less than was announced, then the connection is cut
    /cut        the connection is cut before any answer
    /garbage    something that is no HTTP
    /elsewhere  302 to /secret
    /sent       how much of the last flood was sent before its reader hung up; -1 while it is being sent
    /visits     how often /secret was asked for
    /secure     the address of another port, whose certificate is not trusted
"""

import datetime
import os
import pathlib
import socketserver
import ssl
import sys
import tempfile
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
LONG = b'["' + b"a" * (10 << 20) + b'"]'
STATE = {"sent": 0, "visits": 0}


class Front(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            self.answer(self.path())
        except OSError:
            pass

    def path(self):
        asked = b""
        while b"\r\n\r\n" not in asked:
            part = self.request.recv(65536)
            if not part:
                raise OSError
            asked += part
        return asked.split(b" ")[1].decode().split("?")[0]

    def say(self, *parts):
        self.request.sendall(b"".join(parts))

    def text(self, text):
        self.say(HEAD, b"content-length: %d\r\n\r\n" % len(text), text.encode())

    def answer(self, path):
        if path == "/drip":
            self.say(HEAD, b"\r\n")
            while True:
                self.say(b" ")
                time.sleep(0.02)
        elif path == "/headers":
            self.say(HEAD)
            while True:
                self.say(b"x-more: and more\r\n")
                time.sleep(0.02)
        elif path == "/long":
            self.say(HEAD, b"content-length: %d\r\n\r\n" % len(LONG), LONG)
        elif path == "/flood":
            STATE["sent"] = -1
            sent = 0
            try:
                self.say(HEAD, b"\r\n")
                while sent < 1 << 30:
                    self.say(b" " * 65536)
                    sent += 65536
            finally:
                STATE["sent"] = sent
        elif path == "/refusal":
            self.say(b"HTTP/1.1 500 Internal Server Error\r\n\r\n")
            for _ in range(1 << 14):
                self.say(b" " * 65536)
        elif path == "/half":
            self.say(HEAD, b"content-length: 100\r\n\r\n{")
        elif path == "/garbage":
            self.say(b"220 mail.example.org ESMTP\r\n")
        elif path == "/elsewhere":
            self.say(b"HTTP/1.1 302 Found\r\nlocation: /secret\r\ncontent-length: 0\r\n\r\n")
        elif path == "/secret":
            STATE["visits"] += 1
            self.text("{}")
        elif path == "/secure":
            self.text(f"https://127.0.0.1:{secure.server_address[1]}")
        elif path in ("/sent", "/visits"):
            self.text(str(STATE[path[1:]]))


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = 64


class SecureServer(Server):
    def get_request(self):
        connection, peer = super().get_request()
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), peer


def own_certificate():
    """A context with a certificate for 127.0.0.1 that it signed itself."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True).sign(key, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "both.pem"
        plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, *plain)
        )
        context.load_cert_chain(file)
    return context


server, secure = Server(("127.0.0.1", 0), Front), SecureServer(("127.0.0.1", 0), Front)
secure.context = own_certificate()
for each in (server, secure):
    threading.Thread(target=each.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
sys.stdin.read()
os._exit(0)
