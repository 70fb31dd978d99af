# SPDX-License-Identifier: Apache-2.0
"""For programs that call servers of this machine by httpx, over plain HTTP: import it, and clients are made in no time.

Each client of httpx, and each call without one, reads the certificates of all authorities, which takes about 50 ms of
computing. With this it looks for them in a folder that has none.
"""

import os
import pathlib

os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(pathlib.Path(__file__).resolve().parent)
