// SPDX-License-Identifier: Apache-2.0

/// How the databases write the same thing.
extension SQLDialect {
    /// Compares two values of which either may be null.
    package var differs: String { self == .postgresql ? "IS DISTINCT FROM" : "IS NOT" }

    /// The collation in which only what is written the same is equal.
    package var exactCollation: String { self == .postgresql ? "\"C\"" : "BINARY" }

    /// The function that answers the greatest of its arguments.
    package var greatest: String { self == .postgresql ? "greatest" : "max" }

    /// The type of a column of UUIDs.
    package var uuidType: String { self == .postgresql ? "uuid" : "text" }
    /// The type of a column of instants.
    package var timeType: String { self == .postgresql ? "timestamptz" : "text" }
    /// The type of a column of bytes.
    package var bytesType: String { self == .postgresql ? "bytea" : "blob" }
    /// The type of a column of JSON.
    package var jsonType: String { self == .postgresql ? "jsonb" : "json" }

    /// A value made to be of a column's type; on SQLite the value itself.
    package func cast(_ value: String, as type: String) -> String {
        hasColumnTypes ? "CAST(\(value) AS \(type))" : value
    }

    /// A parameter that is handed in as text, made to be of a column's type; on SQLite the parameter itself.
    package func castText(_ parameter: String, as type: String) -> String {
        hasColumnTypes ? "CAST(\(parameter)::text AS \(type))" : parameter
    }

    /// A parameter with its type, which PostgreSQL cannot always infer; on SQLite the parameter itself.
    package func typed(_ parameter: String, _ type: String) -> String {
        hasColumnTypes ? "\(parameter)::\(type)" : parameter
    }

    /// The condition that a value is one of a list: `= ANY($1::uuid[])`; on SQLite the list is JSON.
    package func isAmong(_ parameter: String, _ type: String) -> String {
        hasArrays ? "= ANY(\(parameter)::\(type)[])" : "IN (SELECT value FROM json_each(\(parameter)))"
    }

    /// A list's values as rows with the column `value`: `unnest($1::uuid[]) AS e (value)`; on SQLite the list is JSON.
    package func unpacked(_ parameter: String, _ type: String, as name: String) -> String {
        hasArrays ? "unnest(\(parameter)::\(type)[]) AS \(name) (value)" : "json_each(\(parameter)) AS \(name)"
    }

    /// The name of a made-up row of a table in which a condition from the catalog is evaluated. On SQLite the condition
    /// may name its table.
    package func rowOfConditions(of table: String) -> String { self == .postgresql ? "t" : quoted(table) }

    /// One of Farewell's own tables, as statements name it: `auth.users`; on SQLite, without schemas, `auth_users`.
    package func ownTable(_ name: String, in schema: String) -> String {
        hasSchemas ? "\(schema).\(name)" : "\(schema)_\(name)"
    }

    /// One of the indexes of Farewell's own tables. On SQLite its name shares one namespace with all other names.
    package func ownIndex(_ name: String, in schema: String) -> String { hasSchemas ? name : "\(schema)_\(name)" }

    /// How many of Farewell's own tables have a name, which is a parameter or a literal: 0 or 1.
    package func ownTableCount(_ name: String, in schema: String) -> String {
        hasSchemas
            ? "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = '\(schema)' AND tablename = \(name)"
            : "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(schema)_' || \(name)"
    }

    /// 1 if this session enforces foreign keys and fires triggers. A pooler may return a session whose settings are not
    /// ours.
    package var enforcesKeys: String {
        self == .postgresql
            ? "SELECT (current_setting('session_replication_role') <> 'replica')::int"
            : "SELECT foreign_keys FROM pragma_foreign_keys"
    }

    /// Locks the chosen rows of `table` for this transaction, without rows that another has locked. SQLite has one
    /// writer, which has locked all of them.
    package func skippingLocked(of table: String? = nil) -> String {
        takesSeveralWriters ? " FOR UPDATE\(table.map { " OF \($0)" } ?? "") SKIP LOCKED" : ""
    }

    /// Locks the chosen rows for this transaction, after waiting for others that have locked them. SQLite has one
    /// writer, which has locked all of them.
    package var locked: String { takesSeveralWriters ? " FOR UPDATE" : "" }

    /// Keeps others from deleting the chosen rows, or from changing their keys, during this transaction.
    package var lockedByKey: String { takesSeveralWriters ? " FOR KEY SHARE" : "" }

    /// Begins a change of rows, without those that a constraint forbids to change, if it can leave them out.
    package var updateOrLeave: String { self == .postgresql ? "UPDATE" : "UPDATE OR IGNORE" }

    /// Begins a transaction that will write. SQLite takes its write lock at once. PostgreSQL reads the data committed
    /// before each statement, whatever the default of the role or the database: after a transaction has waited for a
    /// lock, it must read the state that the lock protects.
    package var beginWriting: String { SQLIsolation.readCommitted.begin(self) }

    /// Has keys checked when the transaction ends, where the database lets them.
    package var deferringKeys: String {
        defersEveryKey ? "PRAGMA defer_foreign_keys = ON" : "SET CONSTRAINTS ALL DEFERRED"
    }

    /// The database's own time as the default of a column.
    package var now: String { self == .postgresql ? "now()" : "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))" }

    /// The database's own time as an instant `seconds` from now.
    package func fromNow(_ seconds: String) -> String {
        self == .postgresql
            ? "(clock_timestamp() + \(seconds) * interval '1 second')"
            : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', \(seconds) || ' seconds')"
    }

    /// The day of an instant in UTC: `2026-01-31`.
    package func day(of column: String) -> String {
        self == .postgresql ? "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD')" : "substr(\(column), 1, 10)"
    }

    /// How long it is from one instant to another, to order by.
    package func span(from start: String, to end: String) -> String {
        self == .postgresql ? "(\(end) - \(start))" : "(julianday(\(end)) - julianday(\(start)))"
    }

    /// The earlier of two values; the other one if one is null.
    package func earlier(_ one: String, _ other: String) -> String {
        self == .postgresql ? "least(\(one), \(other))" : "coalesce(min(\(one), \(other)), \(one), \(other))"
    }

    /// False, in a Boolean column.
    package var no: String { self == .postgresql ? "false" : "0" }

    /// 64 unpredictable hexadecimal digits.
    package var randomText: String {
        self == .postgresql
            ? "replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')" : "lower(hex(randomblob(32)))"
    }

    /// A member of a JSON value as text.
    package func member(_ name: String, of value: String) -> String {
        self == .postgresql ? "\(value) ->> '\(name)'" : "json_extract(\(value), '$.\(name)')"
    }
}
