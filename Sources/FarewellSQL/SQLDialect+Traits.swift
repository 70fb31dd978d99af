// SPDX-License-Identifier: Apache-2.0

/// The differences of the databases, one question each. Code outside this module asks these questions instead of for
/// the dialect, so that a third database is added here only.
extension SQLDialect {
    /// The product's name, for people.
    package var name: String { self == .postgresql ? "PostgreSQL" : "SQLite" }

    /// Whether several transactions may write at the same time. SQLite takes its whole file for one.
    package var takesSeveralWriters: Bool { self == .postgresql }

    /// Whether tables have a schema. SQLite has none, so tables of Farewell's own have a prefix there.
    package var hasSchemas: Bool { self == .postgresql }

    /// Whether roles have rights to tables.
    package var hasRights: Bool { self == .postgresql }

    /// Whether a column's type decides what it holds and compares with. SQLite stores and compares nearly anything.
    package var hasColumnTypes: Bool { self == .postgresql }

    /// Whether a path can name a member of JSON, whatever its name contains. SQLite's paths have no escapes.
    package var escapesMembers: Bool { self == .postgresql }

    /// Whether JSON has types and operators of its own, and the members of lists become rows of one typed value.
    /// SQLite's `json_each` describes each member by several columns.
    package var hasTypedMembers: Bool { self == .postgresql }

    /// Whether each row of the catalog shows which transaction changed it last (`xmin`).
    package var datesItsCatalog: Bool { self == .postgresql }

    /// Whether one parameter can be a list, by which an index finds rows. SQLite unpacks JSON, or asks for each value.
    package var hasArrays: Bool { self == .postgresql }

    /// Whether rows can be found by their physical place (`ctid`).
    package var hasRowPlaces: Bool { self == .postgresql }

    /// Whether a trigger calls a function that others may call too, so that an error names the function only. SQLite's
    /// triggers have their statements in themselves.
    package var hasFunctionsOfTriggers: Bool { self == .postgresql }

    /// Whether a query can change rows of several tables at once (`WITH … AS (DELETE … RETURNING …)`).
    package var changesInQueries: Bool { self == .postgresql }

    /// Whether a recursive query names itself once only. SQLite lets it have several recursive parts.
    package var recursesOnce: Bool { self == .postgresql }

    /// Whether a common table expression is copied with all it names wherever it is named, before anything is planned.
    package var copiesSelections: Bool { self == .sqlite }

    /// How many queries `UNION ALL` may join in one list; lists of lists may be longer. SQLite's limit is 500
    /// (`SQLITE_MAX_COMPOUND_SELECT`).
    package var longestUnion: Int { 200 }

    /// Whether other tables may inherit from a table, whose rows are then found in it.
    package var hasInheritance: Bool { self == .postgresql }

    /// Whether an operator or a function fails on a text that is no JSON, without a test beforehand.
    package var failsOnOtherThanJSON: Bool { self == .postgresql }

    /// Whether the server keeps the rows of a query and hands them out in pieces (`DECLARE … CURSOR`).
    package var hasCursors: Bool { self == .postgresql }

    /// Whether the server has a clock of its own that all its clients can go by.
    package var hasClock: Bool { self == .postgresql }

    /// Whether an index can be made while others write (`CREATE INDEX CONCURRENTLY`), and needs no name.
    package var buildsIndexesConcurrently: Bool { self == .postgresql }

    /// Whether deleted rows and a log of them stay in the server's files until it clears them away.
    package var keepsDeadRows: Bool { self == .postgresql }

    /// Whether the database is one file, of which this process reads the bytes and scrubs what was deleted.
    package var isFile: Bool { self == .sqlite }

    /// Whether a transaction can be committed without waiting for the disk.
    package var commitsWithoutWaiting: Bool { self == .postgresql }

    /// Whether a delete's own answer, or the server, counts the rows that a cascade took.
    package var countsCascades: Bool { self == .postgresql }

    /// Whether every key can be checked at the end of a transaction. PostgreSQL does so where the key says it.
    package var defersEveryKey: Bool { self == .sqlite }

    /// Whether tables and columns have storage parameters.
    package var hasStorageParameters: Bool { self == .postgresql }

    /// Whether a table's constraints can be changed. SQLite's cannot.
    package var altersConstraints: Bool { self == .postgresql }

    /// Whether the database makes SHA-256 itself. SQLite is given a function of this process for keyed hashes.
    package var hasHashes: Bool { self == .postgresql }

    /// Whether one client can wake others (`NOTIFY`).
    package var hasNotifications: Bool { self == .postgresql }

    /// Whether there are large objects, which are outside of the tables and are named by a number (`lo_unlink`).
    package var hasLargeObjects: Bool { self == .postgresql }

    /// Whether columns can number their rows (`GENERATED AS IDENTITY`). SQLite numbers by its rowid.
    package var hasIdentityColumns: Bool { self == .postgresql }

    /// Whether there are sequences besides tables.
    package var hasSequences: Bool { self == .postgresql }

    /// Whether a transaction can be begun that refuses every write. SQLite has a switch of the connection for that.
    package var hasReadOnlyTransactions: Bool { self == .postgresql }

    /// Whether a table can return a random part of its rows.
    package var hasTableSamples: Bool { self == .postgresql }
}
