# SPDX-License-Identifier: Apache-2.0
"""What the likenesses of vendors' services share: an answer, and numbers that nobody had before."""

import itertools

number = itertools.count(1)


class Answer(Exception):
    def __init__(self, status, value=None, kind="application/json"):
        self.status, self.value, self.kind = status, value, kind


# Answered as `null`, and not as nothing.
NULL = object()
