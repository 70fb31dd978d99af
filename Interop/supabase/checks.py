# SPDX-License-Identifier: Apache-2.0
"""Checks of one line each, of which the first that fails ends the program with status 1."""

import sys


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what if isinstance(what, str) else repr(what)}", flush=True)
        sys.exit(1)
