# SPDX-License-Identifier: Apache-2.0
"""For programs that call a busy server."""

import time


def eventually(ask):
    """Retries for ten minutes: a busy server may fail to get the keys in time."""
    deadline = time.monotonic() + 600
    while True:
        try:
            return ask()
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
