# SPDX-License-Identifier: Apache-2.0
"""A small provider of OpenID Connect: discovery, authorization code with PKCE, tokens by PyJWT. It has one client and checks every request strictly.

A test program starts it on a thread. `provider.person` signs in; `provider.twist` changes the claims of its next token.
"""

import base64
import hashlib
import http.server
import json
import secrets
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

CLIENT = "console"
SECRET = "a secret: with +, / and a space"


class Provider:
    def __init__(self, port, host="127.0.0.1"):
        self.issuer = f"http://{host}:{port}"
        self.keys = {"rsa-1": ("RS256", rsa.generate_private_key(public_exponent=65537, key_size=2048)),
                     "ec-1": ("ES256", ec.generate_private_key(ec.SECP256R1()))}
        self.key = "rsa-1"
        self.person = {"sub": "operator-1", "email": "olga@example.org", "roles": ["erasures"]}
        self.twist = {}       # claims that replace others in tokens; None removes one
        self.signer = None    # a key that signs instead of the named one
        self.description = {}  # members of the discovery document that replace others
        self.asks = False     # whether the user has to press a button first
        self.codes, self.spent, self.asked, self.tokens = {}, 0, [], 0
        provider = self

        class Handler(Calls):
            pass

        Handler.provider = provider
        self.server = http.server.ThreadingHTTPServer((host, int(port)), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def discovery(self):
        return {
            "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorize?tenant=1",
            "token_endpoint": self.issuer + "/token", "jwks_uri": self.issuer + "/keys",
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"], **self.description}

    def key_set(self):
        kinds = {"RS256": jwt.algorithms.RSAAlgorithm, "ES256": jwt.algorithms.ECAlgorithm}
        return {"keys": [{**json.loads(kinds[alg].to_jwk(key.public_key())), "kid": name, "use": "sig", "alg": alg}
                         for name, (alg, key) in self.keys.items()]}

    def authorize(self, query):
        """The return address, with a code for the request."""
        self.asked.append(query)
        wanted = {"client_id": CLIENT, "response_type": "code", "code_challenge_method": "S256", "tenant": "1"}
        if any(query.get(name) != value for name, value in wanted.items()) or "openid" not in query.get("scope", "").split():
            return None
        code = secrets.token_urlsafe(24)
        self.codes[code] = query
        return query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": query["state"], "iss": self.issuer})

    def redeem(self, form, authorization):
        """The answer to a code: valid once, for the client and the same request."""
        pair = ":".join(urllib.parse.quote(part, safe="") for part in (CLIENT, SECRET))
        if authorization != "Basic " + base64.b64encode(pair.encode()).decode():
            return 401, {"error": "invalid_client"}
        query = self.codes.pop(form.get("code"), None)
        if query is None:
            self.spent += 1
            return 400, {"error": "invalid_grant"}
        proof = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        if proof != query["code_challenge"] or form.get("redirect_uri") != query["redirect_uri"] or len(form["code_verifier"]) < 43:
            return 400, {"error": "invalid_grant"}
        self.tokens += 1
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": self.token(query["nonce"])}

    def token(self, nonce):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce, **self.person, **self.twist}
        algorithm, key = self.keys[self.key]
        return jwt.encode({k: v for k, v in claims.items() if v is not None}, self.signer or key, algorithm=algorithm,
                          headers={"kid": self.key})


class Calls(http.server.BaseHTTPRequestHandler):
    provider = None

    def log_message(self, *_):
        pass

    def say(self, status, body, kind="application/json", **fields):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/.well-known/openid-configuration":
            self.say(200, self.provider.discovery())
        elif url.path == "/keys":
            self.say(200, self.provider.key_set())
        elif url.path == "/authorize" and self.provider.asks and "pressed" not in query:
            fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in query.items())
            self.say(200, f'<!doctype html><title>Sign in</title><h1>Sign in</h1><form action="/authorize">{fields}'
                     '<button id="itsMe" name="pressed" value="1">It is me</button></form>', "text/html")
        elif url.path == "/authorize" and (back := self.provider.authorize(query)):
            self.say(302, "", "text/plain", Location=back)
        else:
            self.say(400, {"error": "invalid_request"})

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        status, value = self.provider.redeem(form, self.headers["authorization"])
        self.say(status, value)
