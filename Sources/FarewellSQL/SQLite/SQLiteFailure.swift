// SPDX-License-Identifier: Apache-2.0
import Farewell
import GRDB

/// SQLite's result codes (https://www.sqlite.org/rescode.html) on PostgreSQL's list of SQLSTATE codes.
struct SQLiteFailure {
    let state: String
    let family: FarewellError.Family
    let message: String
    let remedy: String?

    /// - Parameter names: The open database's catalog of the names in the statement.
    init(_ error: DatabaseError, names: SQLiteNames? = nil) {
        let text = error.message ?? ""
        let own = ControlTables.own(Self.name(in: text).trimmingPrefix(" (").description, .sqlite)
        if let names, let refusal = SQLiteRefusal(error, names) {
            (state, family) = (refusal.state, refusal.family)
            remedy = own.map(ControlTables.remedy) ?? refusal.remedy
            message = refusal.sentence + "."
            return
        }
        let known = Self.known(error)
        state = known.state
        family = known.family
        remedy = own.map(ControlTables.remedy) ?? known.remedy
        let named = Self.name(in: text)
        message = known.sentence + (named.isEmpty ? names?.suffix ?? "" : named) + "."
    }

    var error: FarewellError {
        FarewellError(.init(rawValue: "sql.\(state)"), family, message, remedy: remedy)
    }

    typealias Known = (
        state: String, family: FarewellError.Family, sentence: String, remedy: String?
    )

    private static func known(_ error: DatabaseError) -> Known {
        constraint(error.extendedResultCode) ?? disk(error.extendedResultCode) ?? left(error.extendedResultCode)
            ?? condition(error)
    }

    private static func constraint(_ code: ResultCode) -> Known? {
        switch code {
        case .SQLITE_CONSTRAINT_FOREIGNKEY: ("23503", .yoursToFix, "A foreign key would be broken", nil)
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            ("23505", .yoursToFix, "A key already exists", nil)
        case .SQLITE_CONSTRAINT_NOTNULL: ("23502", .yoursToFix, "A column must not be null", nil)
        case .SQLITE_CONSTRAINT_CHECK: ("23514", .yoursToFix, "A check constraint was violated", nil)
        case .SQLITE_CONSTRAINT_TRIGGER: ("P0001", .yoursToFix, "A trigger refused the change", nil)
        case .SQLITE_BUSY_SNAPSHOT:
            ("40001", .tryAgain, "Another connection wrote since this transaction began to read", nil)
        default: nil
        }
    }

    private static let diskFull: Known = ("53100", .tryAgain, "The disk is full", "Free space, then try again.")

    private static let writing: [ResultCode] = [
        .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC, .SQLITE_IOERR_TRUNCATE,
        .SQLITE_IOERR_DELETE, .SQLITE_IOERR_COMMIT_ATOMIC,
    ]

    /// The log's index is the first file to grow; its failure is not a failure of the disk.
    private static func disk(_ code: ResultCode) -> Known? {
        if code == .SQLITE_IOERR_SHMSIZE { return diskFull }
        guard writing.contains(code) else { return nil }
        return ("58030", .tryAgain, WriteObstacle.failedWrites[0], "Check the disk.")
    }

    /// A connection that only reads cannot undo or complete what another program left beside the file.
    private static func left(_ code: ResultCode) -> Known? {
        switch code {
        case .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY:
            (
                "25006", .yoursToFix,
                "Another program ended in the middle of a change and left its journal beside the SQLite file",
                "Start that program once, or run `sqlite3 FILE .tables`: SQLite then undoes the unfinished change. "
                    + "Do not delete the journal."
            )
        default: nil
        }
    }

    private static func condition(_ error: DatabaseError) -> Known {
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: ("23000", .yoursToFix, "A constraint was violated", nil)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            ("55P03", .tryAgain, "Another connection holds the lock on the SQLite file", "Try again.")
        case .SQLITE_READONLY:
            ("25006", .yoursToFix, "The SQLite file is read-only", "Allow writing to it and to its folder.")
        case .SQLITE_FULL: diskFull
        case .SQLITE_IOERR: ("58030", .tryAgain, "Reading or writing the SQLite file failed", "Check the disk.")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            (
                "XX001", .yoursToFix, "The file is damaged or not a SQLite database",
                "Check the path. If it is right, restore the file from a back-up."
            )
        case .SQLITE_PERM, .SQLITE_AUTH: ("42501", .yoursToFix, "Access to the SQLite file was refused", nil)
        case .SQLITE_CANTOPEN:
            ("58P01", .yoursToFix, "The SQLite file cannot be opened", "Check the path and its rights.")
        case .SQLITE_INTERRUPT: ("57014", .tryAgain, "The statement was cancelled", nil)
        case .SQLITE_NOMEM: ("53200", .tryAgain, "SQLite ran out of memory", nil)
        case .SQLITE_TOOBIG: ("54000", .yoursToFix, "A value or statement is too big for SQLite", nil)
        case .SQLITE_MISMATCH: ("42804", .yoursToFix, "A value has the wrong type for its column", nil)
        case .SQLITE_SCHEMA: ("0A000", .tryAgain, "The schema changed while the statement ran", nil)
        case .SQLITE_RANGE:
            ("08P01", .ours, "The statement and its parameters do not fit each other", nil)
        default: mistake(error.message ?? "")
        }
    }

    /// How SQLite names a function that an index, a check or a generated column calls, with `()` behind it.
    private static let unknownFunction = "unknown function: "

    /// `SQLITE_ERROR` says what is wrong only in words.
    static func mistake(_ message: String) -> Known {
        if message.hasPrefix("no such table") { return ("42P01", .yoursToFix, "A table does not exist", nil) }
        if message.hasPrefix("no such column") { return ("42703", .yoursToFix, "A column does not exist", nil) }
        if message.hasPrefix("no such function") || message.hasPrefix(unknownFunction) {
            return ("42883", .yoursToFix, "A function does not exist", nil)
        }
        if message.hasPrefix("no such module") { return ("42704", .yoursToFix, "A module does not exist", nil) }
        if message.hasPrefix("no such collation") { return ("42704", .yoursToFix, "A collation does not exist", nil) }
        if message.contains("syntax error") || message.contains("Multiple statements")
            || message.hasPrefix("empty statement") || message.hasPrefix("incomplete input")
        {
            return ("42601", .ours, "The statement is not exactly one valid SQL statement", nil)
        }
        if message.contains("number of statement arguments") {
            return ("08P01", .ours, "The statement and its parameters do not fit each other", nil)
        }
        if message.contains("already exists") { return ("42P07", .yoursToFix, "The object already exists", nil) }
        if message.contains("transaction") {
            return ("25000", .ours, "The statement does not fit the state of the transaction", nil)
        }
        return ("XX000", .ours, "SQLite refused the statement", nil)
    }

    /// Whether a message of `SQLITE_ERROR` is none of those that are known.
    static func isUnknown(_ message: String) -> Bool { mistake(message).state == "XX000" }

    /// Whether a message says that something of this name does not exist.
    static func isAboutNames(_ message: String) -> Bool {
        ["42P01", "42703"].contains(mistake(message).state) || isAboutParts(message)
    }

    /// Whether a message says that SQLite itself lacks a function, a collation or a module.
    static func isAboutParts(_ message: String) -> Bool { ["42883", "42704"].contains(mistake(message).state) }

    /// Table, column and constraint names, which these messages carry and no others; never a value.
    static func name(in message: String) -> String {
        let marks = [
            "UNIQUE constraint failed: index '", "UNIQUE constraint failed: ", "NOT NULL constraint failed: ",
            "CHECK constraint failed: ",
            "no such table: ", "no such column: ", "no such function: ", "no such module: ",
            "no such collation sequence: ", unknownFunction,
        ]
        for mark in marks where message.hasPrefix(mark) {
            let rest = message.dropFirst(mark.count).prefix { $0 != "'" }
            let name = mark == unknownFunction ? rest.prefix { $0 != "(" } : rest
            guard !name.isEmpty else { continue }
            let isName = name.utf8.allSatisfy {
                $0.isASCIILetterOrDigit || "_., $".utf8.contains($0) || $0 >= 128
            }
            if isName { return " (\(name))" }
        }
        return ""
    }
}
