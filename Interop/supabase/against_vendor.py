# SPDX-License-Identifier: Apache-2.0
"""Compares the replica with the vendor's own migrations: tables, columns, keys, triggers, row security and unique indexes of the
schemas auth and storage, and the lists of folders that storage.search makes.

    python Interop/supabase/against_vendor.py SUPERUSER_ADDRESS AUTH_MIGRATIONS STORAGE_MIGRATIONS

AUTH_MIGRATIONS is the folder `migrations` of a checkout of github.com/supabase/auth, STORAGE_MIGRATIONS the folder
`migrations/tenant` of github.com/supabase/storage. Run it before each new date of the facts (`VendorProfile+Facts.swift`). It prints
each difference, `+` where the vendor has more and `-` where the replica has, and exits 1 if there is one. `make test` does not run
it, because it needs the vendor's files.
"""

import json
import pathlib
import re
import sys

from project import Database

PARTS = """
SELECT format('%s.%s.%s %s%s', n.nspname, c.relname, a.attname, format_type(a.atttypid, NULL),
  CASE WHEN a.attnotnull THEN ' not null' ELSE '' END)
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('auth', 'storage') AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT conrelid::regclass || ': ' || regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '')
FROM pg_constraint WHERE contype = 'f' AND connamespace::regnamespace::text IN ('auth', 'storage')
UNION ALL
SELECT pg_get_triggerdef(t.oid) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND c.relnamespace::regnamespace::text IN ('auth', 'storage')
UNION ALL
SELECT regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \\S+ ON', 'INDEX ON')
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
WHERE i.indisunique AND c.relnamespace::regnamespace::text IN ('auth', 'storage')
UNION ALL
SELECT c.oid::regclass || CASE WHEN c.relrowsecurity THEN ' with' ELSE ' without' END || ' row security, of ' || c.relowner::regrole
FROM pg_class AS c WHERE c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text IN ('auth', 'storage')
"""

# Paths whose parts differ by capitals alone, are patterns, or are empty; a file and a folder of one name.
PATHS = [
    "/".join(parts) for first in ("a", "A", "a_b", "a%b", "axb", "", "Ü", "ü", "\\") for second in ("x.png", "X", "", "a_", "%")
    for parts in ((first, second), (first, second, "z"), (first + second,)) if "".join(parts)
]
LISTED = """
SELECT lower(name), id IS NULL FROM storage.search(:'prefix', 'b', 1000, 1, 0, :'search', 'name', 'asc')
"""


def lists(database):
    """Each folder as it is listed, without the spelling of folders that differ by capitals alone."""
    database.run(
        database.superuser,
        "INSERT INTO storage.buckets (id, name) VALUES ('b', 'b');"
        " INSERT INTO storage.objects (bucket_id, name) SELECT DISTINCT 'b', json_array_elements_text(:'paths'::json);",
        paths=json.dumps(PATHS),
    )
    asked = [("", ""), ("", "a_"), ("", "%"), ("a/", ""), ("A/", "x"), ("a_b/", ""), ("Ü/", ""), ("a%b/", "A"), ("/", "")]
    return {
        f"folder '{prefix}', beginning with '{search}': "
        + " ".join(database.run(database.superuser, LISTED, prefix=prefix, search=search).splitlines())
        for prefix, search in asked
    }


def shape(database):
    return set(database.run(database.superuser, PARTS).splitlines()) | lists(database)


def number(path):
    return int(re.match(r"\d+", path.name)[0])


def migrate(database, schema, role, folder, ending):
    """The migrations in the order of their numbers, as the vendor's role."""
    files = sorted(pathlib.Path(folder).glob(ending), key=number)
    if not files:
        sys.exit(f"{folder} has no migration.")
    for file in files:
        text = re.sub(r'\{\{ *index \.Options "Namespace" *\}\}', schema, file.read_text())
        try:
            database.run(database.superuser, f"SET search_path = {schema}, public, extensions;\nSET ROLE {role};\n{text}")
        except RuntimeError as error:
            sys.exit(f"{file.name}: {error}")
    return number(files[-1])


def main(server, auth, storage):
    replica, vendor = Database(server), Database(server)
    try:
        replica.create(without_app=True)
        vendor.run(server, f'CREATE DATABASE "{vendor.name}"')
        vendor.run(vendor.superuser, (pathlib.Path(__file__).parent / "roles.sql").read_text())
        vendor.run(vendor.superuser, (pathlib.Path(__file__).parent / "schemas.sql").read_text())
        vendor.run(
            vendor.superuser,
            "ALTER SCHEMA auth OWNER TO supabase_auth_admin; ALTER SCHEMA storage OWNER TO supabase_storage_admin;"
            f' GRANT ALL ON DATABASE "{vendor.name}" TO supabase_auth_admin, supabase_storage_admin;'
            ' CREATE EXTENSION IF NOT EXISTS "uuid-ossp" SCHEMA extensions',
        )
        last = migrate(vendor, "auth", "supabase_auth_admin", auth, "*.up.sql")
        newest = migrate(vendor, "storage", "supabase_storage_admin", storage, "*.sql")
        ours, theirs = shape(replica), shape(vendor)
    finally:
        replica.drop()
        vendor.drop()
    for line in sorted(theirs - ours):
        print("+", line)
    for line in sorted(ours - theirs):
        print("-", line)
    print(f"auth to {last}, storage to {newest}: {len(ours & theirs)} parts alike")
    return 1 if ours != theirs else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
