# SPDX-License-Identifier: Apache-2.0
"""Asks the account pages again and again about somebody who is there and about nobody, and compares what comes back.

    python Interop/enumerate_accounts.py URL --known EMAIL [--tries 1000] [--times]

Each try asks about the known address and about one that nobody has, in turn, on two ways: signing in with a wrong password,
and asking for a code. The answers must be the same but for the address; with --times their durations are compared as well:
how often an answer about the known address is the slower one must be chance. Takes a server with generous limits.
"""

import argparse
import re
import statistics
import sys
import time

import httpx

HERE = {"Sec-Fetch-Site": "same-origin"}


def shape(answer, email):
    """An answer without what differs anyway."""
    text = re.sub(r'value="[^"]*"', "", answer.text.replace(email, ""))
    fields = sorted(name for name in answer.headers if name not in ("date", "content-length", "x-request-id"))
    return answer.status_code, fields, text


def ask(client, path, email):
    token = re.search(r'name="form" value="([^"]+)"', client.get("/account").text).group(1)
    form = {"form": token, "next": "account", "email": email, "password": "not the password of anybody"}
    begin = time.perf_counter()
    answer = client.post(path, data=form, headers=HERE)
    return shape(answer, email), time.perf_counter() - begin


def chance(known, unknown):
    """How often the first is the greater one, ties counted half: 0.5 where there is no difference (Mann and Whitney)."""
    ranked = sorted([(t, 0) for t in known] + [(t, 1) for t in unknown])
    below, wins = 0, 0
    for _, who in ranked:
        if who == 1:
            below += 1
        else:
            wins += below
    return wins / (len(known) * len(unknown))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--known", required=True)
    parser.add_argument("--tries", type=int, default=1000)
    parser.add_argument("--times", action="store_true")
    given = parser.parse_args()
    for path in ["/account/sign-in", "/account/code"]:
        seen, times = [set(), set()], [[], []]
        with httpx.Client(base_url=given.url, timeout=120) as client:
            for number in range(given.tries):
                for who in ([0, 1] if number % 2 else [1, 0]):
                    email = given.known if who == 0 else "nobody-at-all@example.org"
                    answer, seconds = ask(client, path, email)
                    seen[who].add(repr(answer))
                    times[who].append(seconds)
        same = seen[0] == seen[1]
        print(f"{'ok    ' if same else 'WRONG '}{path}: {given.tries} answers about each are the same")
        if not same:
            print("\n".join(sorted(seen[0] ^ seen[1]))[:2000])
            sys.exit(1)
        middle = [statistics.median(t) * 1000 for t in times]
        share = chance(*times)
        fine = abs(share - 0.5) < 0.05
        print(f"{'ok    ' if fine or not given.times else 'WRONG '}{path}: medians {middle[0]:.2f} and {middle[1]:.2f} ms, "
              f"the known one slower in {share:.1%}")
        if given.times and not fine:
            sys.exit(1)


main()
