# SPDX-License-Identifier: Apache-2.0
"""The remaining data of a person in a project: an independent oracle, which knows no plan.

It reads every table of every schema as text, also values stored as bytes, and every file's path.
"""

import json
import subprocess
import urllib.request

# Partitions are read with the table that they belong to.
TABLES = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND n.nspname !~ '^(pg_|information_schema$)' ORDER BY 1
"""


def psql(address, text, **values):
    variables = [word for name, value in values.items() for word in ("-v", f"{name}={value}")]
    done = subprocess.run(
        ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *variables, address], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.rstrip("\n")


def needles(person):
    words = [person[name] for name in ("id", "email", "name") if person.get(name)]
    return words + [word.encode().hex() for word in words]


def rows(address, person):
    """How many rows name the person, by table."""
    words = json.dumps(["%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%" for word in needles(person)])
    names = psql(address, TABLES).splitlines()
    asked = " UNION ALL ".join(
        f"SELECT '{name}', count(*) FROM {name} AS r WHERE r::text ILIKE ANY (SELECT json_array_elements_text(:'words'::json))"
        for name in names
    )
    found = [line.rsplit("|", 1) for line in psql(address, asked + ";", words=words).splitlines()]
    return {name: int(count) for name, count in found if count != "0"}


def others(address, people, tables):
    """Every row of some tables that names none of some people, as text."""
    words = json.dumps(["%" + word + "%" for person in people for word in needles(person)])
    asked = " UNION ALL ".join(
        f"SELECT '{name} ' || r::text FROM {name} AS r"
        f" WHERE NOT r::text ILIKE ANY (SELECT json_array_elements_text(:'words'::json))"
        for name in tables
    )
    return sorted(psql(address, asked + ";", words=words).splitlines())


def control(endpoint, verb, text=""):
    with urllib.request.urlopen(f"{endpoint}/control/{verb}", data=text.encode() if text is not None else None) as answer:
        return json.load(answer)


def files(endpoint):
    """Every file of the object store, without a look at rows."""
    return control(endpoint, "files", None)
