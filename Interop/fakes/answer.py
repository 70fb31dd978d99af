# SPDX-License-Identifier: Apache-2.0
"""What the likenesses of vendors' services share: an answer, and numbers that nobody had before."""

import itertools
import unicodedata

number = itertools.count(1)


class Answer(Exception):
    def __init__(self, status, value=None, kind="application/json"):
        self.status, self.value, self.kind = status, value, kind


# Answered as `null`, and not as nothing.
NULL = object()


def plain(name):
    """A name as a key of a census: two that Unicode takes for one stay two for whoever reads it."""
    return "".join(c if " " <= c < "\x7f" else f"<{ord(c):x}>" for c in name)


def alike(person):
    """Names that somebody could take for a person's that is not plain: other capitals, other marks, a wildcard."""
    if person.isascii():
        return []
    marked = [unicodedata.normalize("NFD", person), person + "\u0301"]
    return [person.upper(), person.swapcase(), *marked, *(person[:-1] + wild for wild in ["_", "%", "*", "?"])]
