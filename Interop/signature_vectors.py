# Signatures at the edges of ES256, EdDSA and HS256, and keys that are none, after the kinds that C2SP's Wycheproof collects.
#
# Prints JSON: {"now": …, "cases": [{"name": …, "algorithm": …, "keys": {…} | "secret": "…", "token": "…",
# "accepted": true | false}]}. Whether a signature of the right length is good, OpenSSL says (by `cryptography`); one of
# another length never is, nor one by a key with which anyone could sign.
import base64
import hashlib
import hmac
import json
import sys
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, ed448
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

NOW = int(time.time())
SECRET = "a secret of forty characters, no less :-)"
CLAIMS = {
    "iss": "https://auth.example.org/auth/v1", "sub": "5f0c8a4e-0000-4000-8000-00000000000a", "aud": "authenticated",
    "session_id": "5f0c8a4e-0000-4000-8000-00000000000b", "iat": NOW - 5, "exp": NOW + 600,
}
KID = "k"


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed_part(algorithm):
    header = {"alg": algorithm, "typ": "JWT"} | ({} if algorithm == "HS256" else {"kid": KID})
    return ".".join(text(json.dumps(part).encode()) for part in (header, CLAIMS))


def case(name, algorithm, source, signature, accepted=False):
    token = f"{signed_part(algorithm)}.{text(signature)}"
    return source | {"name": name, "algorithm": algorithm, "token": token, "accepted": accepted}


def damaged(signature):
    """The same signature with any byte changed, of any other length, and in other spellings."""
    for place in range(len(signature)):
        changed = bytearray(signature)
        changed[place] ^= 1 << place % 8
        yield f"byte {place} changed", bytes(changed)
    for length in range(len(signature)):
        yield f"cut to {length} bytes", signature[:length]
    for name, other in {
        "a byte of zero after it": signature + b"\0", "a byte of zero before it": b"\0" + signature, "twice": signature * 2,
        "as hexadecimal text": signature.hex().encode(), "as base64 text": base64.b64encode(signature),
        "backwards": signature[::-1], "halves swapped": signature[len(signature) // 2:] + signature[:len(signature) // 2],
        "nothing but ones": b"\xff" * len(signature), "nothing but zeros": bytes(len(signature)),
    }.items():
        yield name, other


# MARK: ES256

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def es256():
    key = ec.generate_private_key(ec.SECP256R1())
    numbers = key.public_key().public_numbers()
    content = signed_part("ES256").encode()
    jwk = {
        "kty": "EC", "crv": "P-256", "kid": KID, "alg": "ES256", "use": "sig",
        "x": text(numbers.x.to_bytes(32, "big")), "y": text(numbers.y.to_bytes(32, "big")),
    }
    source = {"keys": {"keys": [jwk]}}
    der = key.sign(content, ec.ECDSA(hashes.SHA256()))
    r, s = decode_dss_signature(der)

    def good(pair):
        try:
            key.public_key().verify(encode_dss_signature(*pair), content, ec.ECDSA(hashes.SHA256()))
            return True
        except InvalidSignature:
            return False

    def raw(pair, length=32):
        return b"".join(number.to_bytes(length, "big") for number in pair)

    # Each signature (r, s) has a twin (r, N - s): both are valid, and no record of Farewell is identified by a signature.
    pairs = {"good": (r, s), "the twin": (r, N - s), "swapped": (s, r), "-r": (N - r, s), "-r, -s": (N - r, N - s)}
    edges = {
        "0": 0, "1": 1, "2": 2, "N/2": N // 2, "N-1": N - 1, "N": N, "N+1": N + 1, "P-1": P - 1, "P": P, "P+1": P + 1,
        "2^256-1": 2**256 - 1,
    }
    pairs |= {f"({a}, {b})": (edges[a], edges[b]) for a in edges for b in edges}
    pairs |= {f"({a}, s)": (edges[a], s) for a in edges} | {f"(r, {a})": (r, edges[a]) for a in edges}
    for name, pair in pairs.items():
        yield case(name, "ES256", source, raw(pair), good(pair))
    for name, signature in damaged(raw((r, s))):
        yield case(name, "ES256", source, signature)
    long_form = b"\x30\x81" + der[1:]
    for name, signature in {
        "DER": der, "DER, length in two bytes": long_form, "DER, padded to 64": der[:64], "33 bytes each": raw((r, s), 33),
        "little-endian": r.to_bytes(32, "little") + s.to_bytes(32, "little"),
    }.items():
        yield case(name, "ES256", source, signature)
    for name, other in {
        "another key": ec.generate_private_key(ec.SECP256R1()), "secp256k1": ec.generate_private_key(ec.SECP256K1()),
        "P-224": ec.generate_private_key(ec.SECP224R1()), "P-384": ec.generate_private_key(ec.SECP384R1()),
    }.items():
        numbers_of = decode_dss_signature(other.sign(content, ec.ECDSA(hashes.SHA256())))
        yield case(f"by {name}", "ES256", source, raw(numbers_of, 48 if name == "P-384" else 32))
    for name, algorithm in {"SHA-1": hashes.SHA1(), "SHA-384": hashes.SHA384(), "SHA-512": hashes.SHA512()}.items():
        yield case(f"over {name}", "ES256", source, raw(decode_dss_signature(key.sign(content, ec.ECDSA(algorithm)))))
    for name, other in {
        "the payload alone": content.split(b".")[1], "the header alone": content.split(b".")[0], "nothing": b"",
        "a line feed more": content + b"\n", "the hash": hashlib.sha256(content).digest(),
    }.items():
        pair = decode_dss_signature(key.sign(other, ec.ECDSA(hashes.SHA256())))
        yield case(f"over {name}", "ES256", source, raw(pair))
    # Keys that are no points of the curve, or are written as no key is.
    zero, most = text(bytes(32)), text(b"\xff" * 32)
    padded = base64.urlsafe_b64encode(numbers.x.to_bytes(32, "big")).decode()
    for name, change in {
        "the point at nothing": {"x": zero, "y": zero}, "off the curve": {"x": text(((numbers.x + 1) % P).to_bytes(32, "big"))},
        "x and y swapped": {"x": jwk["y"], "y": jwk["x"]}, "x beyond the field": {"x": most}, "y beyond the field": {"y": most},
        "the opposite point": {"y": text((P - numbers.y).to_bytes(32, "big"))}, "without y": {"y": None},
        "x of 31 bytes": {"x": text(numbers.x.to_bytes(32, "big")[1:])}, "x of 33 bytes": {"x": text(numbers.x.to_bytes(33, "big"))},
        "x padded": {"x": padded}, "as P-384": {"crv": "P-384"}, "as secp256k1": {"crv": "secp256k1"}, "as OKP": {"kty": "OKP"},
        "for encryption": {"use": "enc"}, "private": {"d": text(b"\x01" * 32)}, "for ES384": {"alg": "ES384"}, "named by a number": {"kid": 1},
    }.items():
        changed = {member: value for member, value in (jwk | change).items() if value is not None}
        yield case(f"key {name}", "ES256", {"keys": {"keys": [changed]}}, raw((r, s)))
    yield case("key named twice", "ES256", {"keys": {"keys": [jwk, jwk]}}, raw((r, s)))


# MARK: EdDSA

Q = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
# Points whose order is 1, 2, 4 and 8, and other spellings of them: with such a key anyone can sign anything.
SMALL = [
    0, 1, Q - 1, Q, Q + 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
]


def eddsa():
    key = ed25519.Ed25519PrivateKey.generate()
    content = signed_part("EdDSA").encode()
    public = key.public_key().public_bytes_raw()

    def source(x):
        return {"keys": {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": KID, "alg": "EdDSA", "x": text(x)}]}}

    signature = key.sign(content)
    point, number = signature[:32], int.from_bytes(signature[32:], "little")

    def good(candidate):
        try:
            key.public_key().verify(candidate, content)
            return True
        except InvalidSignature:
            return False

    cases = {"good": signature, "S is nothing": point + bytes(32), "R is nothing": bytes(32) + signature[32:]}
    # The same number in other words: S + L, S + 2L …
    cases |= {f"S + {k}L": point + (number + k * L).to_bytes(32, "little") for k in range(1, 15)}
    cases |= {"S is L": point + L.to_bytes(32, "little"), "S is -S": point + (L - number).to_bytes(32, "little")}
    cases |= {f"bit {bit} of S": point + (number | 1 << bit).to_bytes(32, "little") for bit in (252, 253, 254, 255)}
    for place, y in enumerate(SMALL):
        cases[f"R of small order, {place}"] = y.to_bytes(32, "little") + signature[32:]
        cases[f"R of small order and no S, {place}"] = y.to_bytes(32, "little") + bytes(32)
    for name, candidate in cases.items():
        yield case(name, "EdDSA", source(public), candidate, good(candidate))
    for name, candidate in damaged(signature):
        yield case(name, "EdDSA", source(public), candidate)
    yield case("by another key", "EdDSA", source(public), ed25519.Ed25519PrivateKey.generate().sign(content))
    yield case("by Ed448", "EdDSA", source(public), ed448.Ed448PrivateKey.generate().sign(content))
    for name, other in {"nothing": b"", "the payload alone": content.split(b".")[1], "the hash": hashlib.sha512(content).digest()}.items():
        yield case(f"over {name}", "EdDSA", source(public), key.sign(other))
    identity = (1).to_bytes(32, "little")
    for place, y in enumerate(SMALL):
        for sign in (0, 1):
            weak = (y | sign << 255).to_bytes(32, "little")
            for name, first in {"the neutral point": identity, "the key itself": weak}.items():
                yield case(f"key of small order {place}.{sign}, R is {name}", "EdDSA", source(weak), first + bytes(32))
    for name, x in {"of 31 bytes": public[:31], "of 33 bytes": public + b"\0", "of ones": b"\xff" * 32, "of nothing": b""}.items():
        yield case(f"key {name}", "EdDSA", source(x), signature)


# MARK: HS256


def hs256():
    content = signed_part("HS256").encode()
    source = {"secret": SECRET}

    def code(secret, algorithm="sha256"):
        return hmac.new(secret, content, algorithm).digest()

    secret = SECRET.encode()
    yield case("good", "HS256", source, code(secret), True)
    for name, signature in damaged(code(secret)):
        yield case(name, "HS256", source, signature)
    for name, other in {
        "no secret": b"", "a space more": secret + b" ", "a character less": secret[:-1], "in capitals": secret.upper(),
        "its hash": hashlib.sha256(secret).digest(), "as base64": base64.b64encode(secret), "as hexadecimal": secret.hex().encode(),
        "in UTF-16": SECRET.encode("utf-16"), "with a byte order mark": b"\xef\xbb\xbf" + secret, "in quotes": b'"' + secret + b'"',
        "the token's own name of it": KID.encode(), "the word secret": b"secret",
    }.items():
        yield case(f"by {name}", "HS256", source, code(other))
    for name in ("sha1", "sha384", "sha512", "md5"):
        yield case(f"HMAC of {name}", "HS256", source, code(secret, name))
        yield case(f"HMAC of {name}, cut", "HS256", source, code(secret, name)[:32])
    yield case("the hash alone", "HS256", source, hashlib.sha256(content).digest())
    yield case("the hash of secret and content", "HS256", source, hashlib.sha256(secret + content).digest())


json.dump({"now": NOW, "cases": [*es256(), *eddsa(), *hs256()]}, sys.stdout)
