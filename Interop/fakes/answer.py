# SPDX-License-Identifier: Apache-2.0
"""The shared part of the fakes of vendors' services: an answer, and unique numbers."""

import itertools
import unicodedata

number = itertools.count(1)


class Answer(Exception):
    def __init__(self, status, value=None, kind="application/json"):
        self.status, self.value, self.kind = status, value, kind


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
