// SPDX-License-Identifier: Apache-2.0
import TestFixtures

/// A small database and plans for it that use every rule of tables and of columns, rightly and wrongly.
struct EveryRule {
    let kind: PlanDatabase

    private var schema: String { kind == .postgresql ? "public." : "" }

    var tables: [String] {
        let person = "person_id \(kind.uuid) REFERENCES people (id) ON DELETE"
        return [
            """
            CREATE TABLE people (id \(kind.uuid) PRIMARY KEY, email text NOT NULL, name text, born date, \
            city varchar(10), CHECK (city <> 'nowhere'))
            """,
            """
            CREATE TABLE orders (id integer PRIMARY KEY, \(person) SET NULL, placed_at timestamp, \
            total numeric, address text, note text, code varchar(20), email text)
            """,
            """
            CREATE TABLE notes (id integer PRIMARY KEY, \(person) SET NULL, title text NOT NULL, body text, \
            author text, town text, UNIQUE (title))
            """,
            """
            CREATE TABLE logs (id integer PRIMARY KEY, \(person) CASCADE, \
            other_id \(kind.uuid) REFERENCES people (id), words text)
            """,
            "CREATE TABLE copies (id integer PRIMARY KEY, log_id integer REFERENCES logs (id), words text)",
            "CREATE TABLE colours (id integer PRIMARY KEY, name text)",
        ]
    }

    private func plan(_ tables: String) -> String {
        "farewell: 1\nsubject: {table: \(schema)people, key: id, identifiers: [\(schema)people.email]}\ntables:\n"
            + tables.replacing("@", with: schema)
    }

    var right: String {
        plan(
            """
              @people: {rule: erase, columns: [id, email, name, {born: not personal}, city]}
              @orders:
                rule: retain
                reason: Tax law.
                for: 10 years
                from: placed_at
                then: anonymise
                links: [{from: person_id, to: @people.id, key: set null}]
                columns:
                  {id: not personal, person_id: not personal, placed_at: retain, total: retain, address: null,
                   note: {constant: gone}, code: hash, email: {expression: "concat(left(email, 1), '…')"}}
              @notes:
                rule: anonymise
                links: [{from: person_id, to: @people.id, key: set null}]
                columns:
                  {id: not personal, person_id: not personal, title: hash, body: null, author: {constant: "null"},
                   town: {expression: "concat(upper(left(town, 2)), coalesce(author, '-'), length(body))"}}
              @logs:
                rule: erase
                links:
                  - {from: person_id, to: @people.id, key: cascade, shared: erase}
                  - {from: other_id, to: @people.id, key: no action, shared: unlink}
                columns: [id, person_id, other_id, words]
              @copies:
                rule: erase
                links: [{from: log_id, to: @logs.id, key: no action}]
                columns: [id, log_id, words]
              @colours: {rule: not personal, columns: [id, name]}

            """)
    }

    var wrong: String {
        plan(
            """
              @people:
                rule: anonymise
                columns: {id: null, email: null, name: not personal, born: hash, city: {constant: a place far away}}
              @orders:
                rule: retain
                reason: " "
                for: 0 days
                from: total
                then: anonymise
                links: [{from: person_id, to: @people.id, key: set null}]
                columns:
                  - id
                  - {person_id: hash}
                  - {placed_at: {constant: yesterday}}
                  - {total: {expression: "upper(address)"}}
                  - {address: {expression: "left(street, 2)"}}
                  - {note: hash}
                  - {code: {constant: much more than twenty characters}}
                  - email
              @notes:
                rule: anonymise
                links: [{from: person_id, to: @people.id, key: set null}]
                columns:
                  {id: not personal, person_id: not personal, title: {constant: same}, body: retain,
                   author: not personal, town: not personal}
              @logs:
                rule: erase
                links: [{from: person_id, to: @people.id, key: cascade}]
                columns: [{id: hash}, person_id, other_id, {words: null}]
              @copies:
                rule: anonymise
                links: [{from: log_id, to: @logs.id}]
                columns: {id: not personal, log_id: not personal, words: retain}
              @colours: {rule: not personal, columns: [{id: retain}, {name: {constant: x}}]}

            """)
    }

    /// A plan of which nearly every rule is written wrongly.
    var unreadable: String {
        plan(
            """
              @people: {rule: eraze, columns: [id, {email: nul}, {name: {}}, {born: {constant: a, expression: b}}]}
              @orders:
                rule: retain
                then: delete
                columns: {id: {constant: null}, total: {expression: "left("}, note: [a], code: {words: x}, email: ""}
              @notes: {rule: anonymise, reason: none, for: 1 year, from: x, then: erase, columns: {id: retian}}
              @logs: {rule: retain, reason: "x", for: some years, columns: {id: not  personal}}
              @copies: {rule: not personal, for: 1 day, columns: [id, id, {a: null, b: null}]}

            """)
    }
}
