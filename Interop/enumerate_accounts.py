# SPDX-License-Identifier: Apache-2.0
"""Calls repeatedly with a known address and with unknown ones, and compares the answers and their times.

    python Interop/enumerate_accounts.py URL --known EMAIL --key FILE [--tries 1000] [--ways page,code,...] [--rounds 3]
        [--leak 3]

--known  the address of an account
--key    the file with the operators' token, which makes people for requests of codes: each gets at most one a minute
--leak   where no difference is found, multiplies the times of the known address by this: then one must be found, or it repeats as well

Each try uses the known address and one without an account, in random order: the page's sign-in, the page's proof before a
deletion, the page's code by mail, and over HTTP sign-in, sign-up and recovery. The answers must be the same except for the
address and random values, and the share of tries in which the known address is slower must be chance, or the medians differ
by less than one in a hundred. If neither holds, it repeats with twice as many tries: other work of the machine has ended
then, and a leak has not.
It needs a server with generous limits, which requires confirmed addresses.
"""

import argparse
import json
import pathlib
import random
import re
import statistics
import sys
import time
import uuid

import httpx

import plain_http  # noqa: F401

HERE = {"Sec-Fetch-Site": "same-origin"}
WRONG = "not the password of anybody"
# The values that differ in every answer of a sign-up.
FRESH = re.compile(r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|value="[^"]*"')


def shape(answer, email):
    """An answer without values that always differ."""
    text = FRESH.sub("", answer.text.replace(email, "").replace(email.lower(), ""))
    fields = sorted(name for name in answer.headers if name not in ("date", "content-length", "x-request-id"))
    if answer.headers["content-type"].startswith("application/json"):
        text = json.dumps(json.loads(text), sort_keys=True)
    return answer.status_code, fields, text


def page(path, next_page):
    def ask(client, email):
        token = re.search(r'name="form" value="([^"]+)"', client.get("/account").text).group(1)
        form = {"form": token, "next": next_page, "email": email, "password": WRONG}
        return path, {"data": form, "headers": HERE}
    return ask


def call(path, **members):
    return lambda _, email: (path, {"json": {"email": email, **members}})


WAYS = {
    "page": page("/account/sign-in", "account"), "proof": page("/account/sign-in", "delete"), "code": page("/account/code", "account"),
    "token": call("/auth/v1/token?grant_type=password", password=WRONG), "signup": call("/auth/v1/signup", password=WRONG),
    "recover": call("/auth/v1/recover"),
}


def ask(way, client, email):
    path, given = WAYS[way](client, email)
    begin = time.perf_counter()
    answer = client.post(path, **given)
    return shape(answer, email), time.perf_counter() - begin


def chance(known, unknown):
    """The share of pairs in which the first is greater, ties counted half: 0.5 without a difference (Mann and Whitney)."""
    ranked = sorted([(t, 0) for t in known] + [(t, 1) for t in unknown])
    below, wins = 0, 0
    for _, who in ranked:
        if who == 1:
            below += 1
        else:
            wins += below
    return wins / (len(known) * len(unknown))


def address(kind):
    return f"{kind}-{uuid.uuid4().hex}@example.org"


def people(client, way, known, key, count):
    """Addresses with an account: always the same, or a new one for each try if mails are sent."""
    if way not in ("code", "recover"):
        return [known] * count
    made = [address("nobody") for _ in range(count)]
    for email in made:
        answer = client.post("/auth/v1/admin/users", json={"email": email, "email_confirm": True},
                             headers={"Authorization": f"Bearer {key}"})
        if answer.status_code != 200:
            sys.exit(f"no user could be made: {answer.text}")
    return made


def compared(url, way, known, key, tries):
    """The answers about each, and their times in seconds."""
    seen, times = [set(), set()], [[], []]
    with httpx.Client(base_url=url, timeout=120) as client:
        there = people(client, way, known, key, tries + 3)
        for number in range(tries + 3):
            # In random order: a server's later work for an existing account slows one of the next calls, for any account.
            for who in random.sample([0, 1], 2):
                email = there[number] if who == 0 else address("nobody")
                answer, seconds = ask(way, client, email)
                seen[who].add(repr(answer))
                # The first calls fill the caches that later ones use.
                if number >= 3:
                    times[who].append(seconds)
    return seen, times


def alike(known, unknown):
    """Whether two samples show no difference; their medians in ms, the share of the first, and the limit of chance."""
    count = len(known)
    middle = [statistics.median(known) * 1000, statistics.median(unknown) * 1000]
    share = chance(known, unknown)
    # Four standard deviations of the share of two samples of the same kind, and never less than one in twenty.
    limit = max(0.05, 4 * ((2 * count + 1) / (12 * count * count)) ** 0.5)
    apart = abs(middle[0] - middle[1]) / max(middle)
    return abs(share - 0.5) < limit or apart < 0.01, middle, share, limit


def holds(url, way, known, key, tries, rounds, leak):
    for turn in range(rounds):
        seen, times = compared(url, way, known, key, tries << turn)
        count = len(times[0])
        if seen[0] != seen[1]:
            print(f"WRONG {way}: the answers differ")
            print("\n".join(sorted(seen[0] ^ seen[1]))[:2000])
            return False
        fine, middle, share, limit = alike(*times)
        if fine and leak != 1 and alike([seconds * leak for seconds in times[0]], times[1])[0]:
            fine = False
            print(f"      {way}: so few tries would not show that the known one takes {leak} times as long", flush=True)
        print(f"{'ok    ' if fine else 'again ' if turn + 1 < rounds else 'WRONG '}{way}: {count} answers about each, "
              f"medians {middle[0]:.2f} and {middle[1]:.2f} ms, the known one slower in {share:.1%} (chance: within {limit:.1%})",
              flush=True)
        if fine:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--known", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--tries", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--leak", type=float, default=1)
    parser.add_argument("--ways", default=",".join(WAYS))
    given = parser.parse_args()
    key = pathlib.Path(given.key).read_text().strip()
    fine = [holds(given.url, way, given.known, key, given.tries, given.rounds, given.leak) for way in given.ways.split(",")]
    sys.exit(0 if all(fine) else 1)


main()
