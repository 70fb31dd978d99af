# Makes key sets and tokens of every issuer by two libraries that are not ours, PyJWT and joserfc.
#
# Prints JSON: {"now": …, "cases": [{"issuer": …, "library": …, "name": …, "keys": {…} | "secret": "…", "token": "…",
# "accepted": true | false}]}. `issuer` is which configuration is to judge the token.
import json
import sys
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from joserfc import jwt as jose
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

NOW = int(time.time())
SECRET = "a secret of forty characters, no less :-)"
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_key(algorithm):
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    if algorithm == "ES384":
        return ec.generate_private_key(ec.SECP384R1())
    if algorithm in ("EdDSA", "Ed25519"):
        return ed25519.Ed25519PrivateKey.generate()
    return RSA_KEY


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


class PyJWT:
    name = "PyJWT"

    def __init__(self, algorithm, kid):
        self.algorithm, self.kid = algorithm, kid
        self.key = SECRET if algorithm == "HS256" else private_key(algorithm)

    def keys(self):
        reader = jwt.get_algorithm_by_name(self.algorithm)
        members = reader.to_jwk(self.key.public_key(), as_dict=True)
        members.pop("key_ops", None)
        return {"keys": [members | {"kid": self.kid, "use": "sig", "alg": self.algorithm}]}

    def token(self, claims, header=None):
        header = ({"kid": self.kid} if self.kid else {}) | (header or {})
        return jwt.encode(claims, self.key, algorithm=self.algorithm, headers=header)


class Joserfc:
    name = "joserfc"

    def __init__(self, algorithm, kid):
        self.algorithm, self.kid = algorithm, kid
        if algorithm == "HS256":
            self.key = OctKey.import_key(SECRET)
        else:
            kind = {"ES": ECKey, "Ed": OKPKey, "RS": RSAKey, "PS": RSAKey}[algorithm[:2]]
            self.key = kind.import_key(pem(private_key(algorithm)), {"kid": kid})

    def keys(self):
        return KeySet([self.key]).as_dict(private=False)

    def token(self, claims, header=None):
        header = {"alg": self.algorithm, "typ": "JWT"} | ({"kid": self.kid} if self.kid else {}) | (header or {})
        registry = JWSRegistry(algorithms=[self.algorithm], strict_check_header=False)
        return jose.encode(header, claims, self.key, registry=registry)


TIMES = {"iat": NOW - 5, "exp": NOW + 600}
SESSION = TIMES | {
    "sub": "5f0c8a4e-0000-4000-8000-00000000000a", "aud": "authenticated", "role": "authenticated", "aal": "aal1",
    "session_id": "5f0c8a4e-0000-4000-8000-00000000000b", "email": "a@example.org", "phone": "", "is_anonymous": False,
    "app_metadata": {"provider": "email"}, "user_metadata": {}, "amr": [{"method": "password", "timestamp": NOW}],
}
POOL = TIMES | {
    "iss": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Kestrel42", "sub": "p", "origin_jti": "o", "jti": "j",
    "auth_time": NOW - 5,
}
# Which configuration, by which algorithm, what is claimed, and changes that make the token a bad one.
ISSUERS = [
    ("farewell", "ES256", SESSION | {"iss": "https://auth.example.org/auth/v1"}, {"no session": {"session_id": None}}),
    ("farewell", "EdDSA", SESSION | {"iss": "https://auth.example.org/auth/v1"}, {}),
    ("farewell", "Ed25519", SESSION | {"iss": "https://auth.example.org/auth/v1"}, {}),
    ("farewell", "HS256", SESSION | {"iss": "https://auth.example.org/auth/v1"}, {}),
    ("supabase", "HS256", SESSION | {"iss": "https://kestrel.supabase.co/auth/v1"}, {"API key": {"iss": "supabase"}}),
    ("supabase", "ES256", SESSION | {"iss": "https://kestrel.supabase.co/auth/v1"}, {}),
    ("supabase", "RS256", SESSION | {"iss": "https://kestrel.supabase.co/auth/v1"}, {}),
    ("cognito", "RS256", POOL | {"token_use": "access", "client_id": "Kestrel"},
     {"id token": {"token_use": "id", "client_id": None, "aud": "Kestrel"}}),
    ("firebase", "RS256",
     TIMES | {"iss": "https://securetoken.google.com/kestrel", "aud": "kestrel", "sub": "u", "auth_time": NOW - 60},
     {"authenticated tomorrow": {"auth_time": NOW + 86400}, "empty subject": {"sub": ""}}),
    ("openid", "ES384", TIMES | {"iss": "https://id.example.org", "aud": ["api", "other"], "sub": "u"}, {}),
    ("openid", "PS256", TIMES | {"iss": "https://id.example.org", "aud": "api", "sub": "u"}, {}),
]
BAD = {
    "expired": {"exp": NOW - 120}, "of the future": {"iat": NOW + 120, "exp": NOW + 600}, "not yet": {"nbf": NOW + 120},
    "no expiry": {"exp": None}, "fraction": {"exp": NOW + 600.5}, "another issuer": {"iss": "https://evil.example"},
    "no subject": {"sub": None},
}


def audience(claims):
    return "client_id" if "client_id" in claims else "aud"


def cases():
    for issuer, algorithm, claims, own in ISSUERS:
        # Ed25519 is the newer name of EdDSA with this curve (RFC 9864).
        for library in (Joserfc,) if algorithm == "Ed25519" else (PyJWT, Joserfc):
            kid = None if algorithm == "HS256" else f"{issuer}-{algorithm}"
            maker, stranger = library(algorithm, kid), library("ES256", kid or "k")
            source = {"secret": SECRET} if algorithm == "HS256" else {"keys": maker.keys()}

            def case(name, token, accepted):
                return source | {
                    "issuer": issuer, "algorithm": algorithm, "library": library.name, "name": name, "token": token,
                    "accepted": accepted,
                }

            yield case("good", maker.token(claims), True)
            if issuer in ("supabase", "farewell"):
                yield case("good, for several", maker.token(claims | {"aud": ["x", "authenticated"]}), True)
            bad = BAD | own | {"another audience": {audience(claims): "evil"}, "no audience": {audience(claims): None}}
            for name, change in bad.items():
                changed = {k: v for k, v in (claims | change).items() if v is not None}
                yield case(name, maker.token(changed), False)
            yield case("another type", maker.token(claims, {"typ": "logout+jwt"}), False)
            yield case("another key", maker.token(claims, {"kid": "unknown"}), False)
            yield case("a stranger's", stranger.token(claims), False)
            yield case("unsigned", jwt.encode(claims, "", algorithm="none", headers={"kid": kid} if kid else {}), False)


json.dump({"now": NOW, "cases": list(cases())}, sys.stdout)
