# SPDX-License-Identifier: Apache-2.0
"""Measures the erasures a second, with more and more workers, on one PostgreSQL or on Citus.

    python Interop/measure_workers.py FAREWELL DIRECT [SERVED] [--people N] [--workers 1,2,4] [--rounds N]

FAREWELL  the command
DIRECT    the address of an empty database of the server, or of a Citus coordinator: its schemas `journey` and `farewell`
          are dropped. With Citus, the tables are distributed by the person's key.
SERVED    the address that server and workers are given, such as a pooler's; without it, DIRECT

A server accepts all erasures beforehand. The time is from the first receipt to the last, by the control store; the median of
the rounds is printed, in people a second. All of it shares this machine's processors: compare numbers of one run only.
"""

import argparse
import contextlib
import os
import statistics
import sys
import time

from citus_journey import App, Issuer, Running, called, check, key
from free_port import free_ports

PEOPLE = 120
TABLES = """
CREATE SCHEMA journey;
SET search_path = journey;
CREATE TABLE users (id uuid PRIMARY KEY, email text);
CREATE TABLE posts (id bigint, user_id uuid, title text, PRIMARY KEY (user_id, id));
CREATE TABLE comments (id bigint, user_id uuid, post_id bigint, body text, PRIMARY KEY (user_id, id));
CREATE TABLE visits (id bigint, user_id uuid, at timestamptz DEFAULT now(), PRIMARY KEY (user_id, id));
"""
SPREAD = """
SET search_path = journey;
SELECT create_distributed_table('users', 'id');
SELECT create_distributed_table('posts', 'user_id', colocate_with => 'users');
SELECT create_distributed_table('comments', 'user_id', colocate_with => 'users');
SELECT create_distributed_table('visits', 'user_id', colocate_with => 'users');
"""
ROWS = """
SET search_path = journey;
ALTER TABLE posts ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE comments ADD FOREIGN KEY (user_id, post_id) REFERENCES posts (user_id, id) ON DELETE CASCADE;
ALTER TABLE visits ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
INSERT INTO users SELECT ('00000000-0000-4000-8000-' || lpad(g::text, 12, '0'))::uuid, 'u' || g || '@example.org'
    FROM generate_series(1, {people}) AS g;
INSERT INTO posts SELECT p, u.id, 'a title of a post' FROM users AS u, generate_series(1, 20) AS p;
INSERT INTO comments SELECT p * 10 + c, u.id, p, repeat('b', 200)
    FROM users AS u, generate_series(1, 20) AS p, generate_series(1, 5) AS c;
INSERT INTO visits SELECT v, u.id FROM users AS u, generate_series(1, 100) AS v;
"""


def filled(app, people, is_citus):
    app.drop()
    app.sql(TABLES + (SPREAD if is_citus else "") + ROWS.format(people=people))
    app.sql("VACUUM (ANALYZE) journey.users, journey.posts, journey.comments, journey.visits")
    app.farewell("init", "--subject", "journey.users.id", "--force")
    app.farewell("decide", "--table", "*", "--answer", "owner")
    app.farewell("check")


def rate(app, served, people, workers):
    issuer, port = Issuer(free_ports()[0]), free_ports()[0]
    for name, concurrency in (("server", 0), ("work", 1)):
        (app.folder / f"{name}.yaml").write_text(
            f"tokens: {{issuer: \"http://127.0.0.1:{port}/auth/v1\"}}\n"
            "limits: {calls-per-address: 1000000, burst-per-address: 1000000}\n"
            "erasures:\n  plan: farewell.yaml\n  second-look: 0\n  wait: 1\n  batch: 10\n"
            f"  concurrency: {concurrency}\n  database-url: \"{served}\"\n"
            f"  issuers: [\"openid {issuer.name} {issuer.name}/keys app\"]\n")
    with Running(app, ["serve", "--settings", "server.yaml", "--state", ".farewell", "--port", str(port)], "Listening on"):
        for number in range(1, people + 1):
            status, answer = called(port, "POST", "/v1/erasures", {
                "Authorization": f"Bearer {issuer.token(key(number))}", "Idempotency-Key": f"n{number}"}, "{}")
            check("accepted", status == 202, answer)
    done = "SELECT count(*) FROM farewell.erasures WHERE state = 'done'"
    work = ["work", "--settings", "work.yaml", "--state", ".farewell"]
    with contextlib.ExitStack() as ending:
        running = [ending.enter_context(Running(app, work, "Working")) for _ in range(workers)]
        deadline = time.monotonic() + 60 * people
        while int(app.sql(done)[0]) < people:
            ended = [one.process.returncode for one in running if one.process.poll() is not None]
            if ended or time.monotonic() > deadline:
                check("the workers end every erasure", False, (ended, app.sql(done)))
            time.sleep(0.5)
        for one in running:
            one.process.terminate()
    issuer.shutdown()
    # From when two of three workers' batches may have begun to the last: how long processes take to start is left out.
    return float(app.sql(
        "SELECT (count(*) - 1) / greatest(extract(epoch FROM max(finished_at) - min(finished_at)), 0.001) FROM farewell.erasures")[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("farewell")
    parser.add_argument("direct")
    parser.add_argument("served", nargs="?")
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with App(options.direct, os.path.abspath(options.farewell)) as app:
        measured(app, options)


def measured(app, options):
    is_citus = app.sql("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")[0] == "t"
    counts = [int(text) for text in options.workers.split(",")]
    rates = {count: [] for count in counts}
    with open(os.devnull, "w") as quiet:
        for _ in range(options.rounds):
            for count in counts:
                sys.stdout, shown = quiet, sys.stdout
                try:
                    filled(app, options.people, is_citus)
                    rates[count].append(rate(app, options.served or options.direct, options.people, count))
                finally:
                    sys.stdout = shown
    for count in counts:
        each = " ".join(f"{one:.1f}" for one in rates[count])
        print(f"{count} workers: {statistics.median(rates[count]):.1f} people/s ({each})", flush=True)
    app.drop()


if __name__ == "__main__":
    main()
