# SPDX-License-Identifier: Apache-2.0
"""For programs that ask a server which has much else to do."""

import time


def eventually(ask):
    """Asks again for two minutes: a server that has much else to do may wait for the keys in vain."""
    deadline = time.monotonic() + 120
    while True:
        try:
            return ask()
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
