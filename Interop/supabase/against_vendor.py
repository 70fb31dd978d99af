# SPDX-License-Identifier: Apache-2.0
"""Compares the replica with the vendor's own migrations: tables, columns and keys of the schemas auth and storage.

    python Interop/supabase/against_vendor.py SUPERUSER_ADDRESS AUTH_MIGRATIONS STORAGE_MIGRATIONS

AUTH_MIGRATIONS is the folder `migrations` of a checkout of github.com/supabase/auth, STORAGE_MIGRATIONS the folder
`migrations/tenant` of github.com/supabase/storage. Run it before each new date of the facts (`VendorProfile+Facts.swift`). It prints
each difference, `+` where the vendor has more and `-` where the replica has, and exits 1 if there is one. `make test` does not run
it, because it needs the vendor's files.
"""

import pathlib
import re
import sys

from project import Database

COLUMNS = """
SELECT format('%s.%s.%s %s%s', n.nspname, c.relname, a.attname, format_type(a.atttypid, NULL),
  CASE WHEN a.attnotnull THEN ' not null' ELSE '' END)
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('auth', 'storage') AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT conrelid::regclass || ': ' || regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '')
FROM pg_constraint WHERE contype = 'f' AND connamespace::regnamespace::text IN ('auth', 'storage')
"""


def shape(database):
    return set(database.run(database.superuser, COLUMNS).splitlines())


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
    print(f"auth to {last}, storage to {newest}: {len(ours & theirs)} columns and keys alike")
    return 1 if ours != theirs else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
