// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of the database. A code made of `sql.` and an SQLSTATE is PostgreSQL's own refusal.
extension ErrorMeaning {
    static let database: [ErrorMeaning] = [
        .init(
            "sql.08001", .tryAgain, "PostgreSQL cannot be reached or has no free connection.",
            "Check that the server runs, is reachable and not overloaded."),
        .init("sql.08006", .tryAgain, "The connection to PostgreSQL was lost.", "Try again."),
        .init("sql.08P01", .ours, "PostgreSQL's client library refuses pipeline mode.", "Use libpq 14 or later."),
        .init("sql.0A000", .ours, "The database does not support a value.", "Report it: it is a defect of Farewell."),
        .init(
            "sql.22012", .yoursToFix, "A trigger or rule of the database divided by zero.",
            "Correct it, then release the erasure."),
        .init(
            "sql.22021", .yoursToFix, "A text contains a NUL character, which PostgreSQL cannot store.",
            "Remove the character."),
        .init(
            "sql.23001", .yoursToFix, "A foreign key restricts the deletion of a row.",
            "Run farewell check; it names the key."),
        .init(
            "sql.23502", .yoursToFix, "A column refuses null.", "Give the column another rule, or make it nullable."),
        .init("sql.23503", .yoursToFix, "A foreign key would be broken.", "Run farewell check; it names the key."),
        .init("sql.23505", .yoursToFix, "A unique key refuses the new value.", "Give the column another rule."),
        .init(
            "sql.23514", .yoursToFix, "A check constraint refuses the new value.",
            "Give the column another rule, or change the constraint."),
        .init(
            "sql.23P01", .yoursToFix, "An exclusion constraint refuses the new value.",
            "Give the column another rule, or change the constraint."),
        .init("sql.25006", .tryAgain, "The server or role accepts no writes.", "Connect to the primary server."),
        .init(
            "sql.25P02", .ours, "A statement in a failed transaction was ignored.",
            "Report it: it is a defect of Farewell."),
        .init(
            "sql.28P01", .yoursToFix, "PostgreSQL requires a password, or refuses the given one.",
            "Check the user name and the password."),
        .init(
            "sql.3F000", .yoursToFix, "A schema does not exist.", "Check the address of the database, and the plan."),
        .init("sql.40001", .tryAgain, "Transactions collided.", "Try again."),
        .init("sql.40P01", .tryAgain, "Transactions blocked each other.", "Try again."),
        .init(
            "sql.42501", .yoursToFix, "The role lacks a right.",
            "Grant the right that the message names; farewell doctor lists all of them."),
        .init("sql.42601", .yoursToFix, "A statement is not valid SQL.", "Report it: it is a defect of Farewell."),
        .init("sql.428C9", .yoursToFix, "A generated column cannot be set.", "Declare the column not personal."),
        .init("sql.42P01", .yoursToFix, "A table does not exist.", "Run farewell check."),
        .init(
            "sql.44000", .yoursToFix, "A view's check option refuses the new value.", "Change the view or the plan."),
        .init(
            "sql.53100", .tryAgain, "The database's disk is full.",
            "Free space on it. `/readyz` answers 503 until half a minute after the last refused write."),
        .init("sql.53200", .tryAgain, "Memory is exhausted.", "Free memory, then try again."),
        .init(
            "sql.54000", .ours, "A statement has more parameters than the database accepts.",
            "Report it: it is a defect of Farewell."),
        .init(
            "sql.55000", .yoursToFix,
            "The object is not in the required state, such as a table without a replica identity.",
            "Do what the message says."),
        .init("sql.55P03", .tryAgain, "A lock was not free in time.", "Try again."),
        .init(
            "sql.57014", .tryAgain, "A statement was cancelled or took too long.",
            "Try again, or allow more time: database.statement-timeout, FAREWELL_DATABASE_STATEMENT_TIMEOUT, and "
                + "statement_timeout of the role and the database."),
        .init(
            "sql.58030", .tryAgain, "The database's disk reports errors.", "Look at the log of the database's server."),
        .init(
            "sql.P0001", .yoursToFix, "A trigger or function of the database raised an error.",
            "Read its text in the database's log."),
        .init("sql.P0002", .yoursToFix, "A function of the database found no row.", "Correct the function."),
        .init("sql.P0003", .yoursToFix, "A function of the database found too many rows.", "Correct the function."),
        .init(
            "sql.P0004", .yoursToFix, "An assertion in a function of the database failed.", "Correct the function."),
        .init("sql.XX001", .yoursToFix, "The database reports damaged data.", "Check the disk, and restore a back-up."),
        .init(
            "sql.bad-address", .yoursToFix, "The address of the database is not valid.",
            "Write postgresql://user@host/database or sqlite:path."),
        .init(
            "sql.citus-worker", .yoursToFix, "The server is a worker node of a Citus cluster.",
            "Give the coordinator's address."),
        .init(
            "sql.closed", .ours, "The database was closed before the call.",
            "Report it: it is a defect of Farewell."),
        .init(
            "sql.commit-unknown", .tryAgain, "The connection was lost during a commit, so its result is not known.",
            "None is needed: Farewell reads back before it tries again."),
        .init(
            "sql.connection-returned", .ours, "A connection was used after its return to the pool.",
            "Report it: it is a defect of Farewell."),
        .init(
            "sql.file-replaced", .tryAgain, "The SQLite file was replaced or removed while it was in use.",
            "Try again. If a back-up was restored, run farewell reerase."),
        .init(
            "sql.keys-off", .yoursToFix,
            "The session runs with session_replication_role = replica, so PostgreSQL enforces no foreign keys.",
            "Reset the setting for the role or the database, and connect again."),
        .init("sql.missing-file", .yoursToFix, "The SQLite file does not exist.", "Check the path."),
        .init(
            "sql.no-foreign-keys", .ours, "This SQLite library cannot enforce foreign keys.",
            "Use a library with foreign keys and triggers."),
        .init(
            "sql.no-secure-delete", .ours, "This SQLite library cannot overwrite deleted bytes.",
            "Use a library with secure deletion."),
        .init(
            "sql.pool-exhausted", .tryAgain, "No database connection became free in time.",
            "Try again, or allow more connections."),
        .init(
            "sql.pooler", .yoursToFix, "An undetected pooler gives each transaction another session.",
            "Set database.pooled to true, or add ?pgbouncer=true to the address."),
        .init(
            "sql.pooler-mode", .yoursToFix, "The pooler is in statement mode, which allows no transactions.",
            "Use transaction or session mode, or connect to PostgreSQL itself."),
        .init(
            "sql.scrub-busy", .tryAgain,
            "The write-ahead log could not be emptied, because another connection reads from it.",
            "Try again when no long read runs."),
        .init("sql.stale-plan", .tryAgain, "The schema changed while a statement was prepared.", "Try again."),
        .init(
            "sql.tls", .yoursToFix, "The TLS connection to PostgreSQL could not be established.",
            "Check sslmode and the certificates in the address."),
    ]
}
