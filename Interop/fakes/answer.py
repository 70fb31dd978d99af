# SPDX-License-Identifier: Apache-2.0
"""The shared part of the fakes of vendors' services: an answer, and unique numbers."""

import hashlib
import itertools
import re
import unicodedata

number = itertools.count(1)


class Answer(Exception):
    def __init__(self, status, value=None, kind="application/json", headers=None, data=None):
        """With `data` the body is those bytes, and not `value`."""
        self.status, self.value, self.kind = status, value, kind
        self.headers, self.data = headers or {}, data


def piece(data, headers):
    """The answer to a request for bytes, or for a range of them (RFC 9110, section 14)."""
    mark = {"etag": f'"{hashlib.md5(data).hexdigest()}"'}
    wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", headers.get("range", ""))
    if not wanted:
        return Answer(200, kind="application/octet-stream", headers=mark, data=data)
    start, end = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
    if start >= len(data):
        return Answer(416, kind="application/octet-stream", headers={"content-range": f"bytes */{len(data)}"}, data=b"")
    told = mark | {"content-range": f"bytes {start}-{end - 1}/{len(data)}"}
    return Answer(206, kind="application/octet-stream", headers=told, data=data[start:end])


def contents(name):
    """The bytes of a file with that name: longer than one call reads, none at all, or few."""
    if name.endswith(".long"):
        return b"".join(b"%s %d\n" % (name.encode(), line) for line in range(9_000_000 // (len(name.encode()) + 7)))
    return b"" if name.endswith(".empty") else b"of " + name.encode()


# Answered as `null`, and not as nothing.
NULL = object()


def plain(name):
    """A name as a key of a census: two names that Unicode considers equal stay different."""
    return "".join(c if " " <= c < "\x7f" else f"<{ord(c):x}>" for c in name)


def alike(person):
    """Names that could be confused with a person's name that is not ASCII: other capitals, other marks, a wildcard."""
    if person.isascii():
        return []
    marked = [unicodedata.normalize("NFD", person), person + "\u0301"]
    return [person.upper(), person.swapcase(), *marked, *(person[:-1] + wild for wild in ["_", "%", "*", "?"])]
