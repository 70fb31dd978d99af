# SPDX-License-Identifier: Apache-2.0
"""Plays a collector of spans: prints its address, then the first body that is posted to it, and ends.

    python Interop/collect_spans.py
"""

import http.server
import sys


class Collector(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        # Before the answer: the sender does not wait for it for ever.
        print(body.decode("utf-8"), flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
    print(f"http://127.0.0.1:{server.server_port}/v1/traces", flush=True)
    server.handle_request()
    return 0


if __name__ == "__main__":
    sys.exit(main())
