// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Errors between this process and the server, as opposed to errors inside it.
extension PostgreSQLLink {
    static func lostError(_ message: String, state: String = "08006") -> FarewellError {
        let reason =
            switch state {
            case "57P01": "an administrator ended it"
            case "57P02": "the server crashed"
            case "57P05": "it was idle longer than the server allows (idle_session_timeout)"
            case "25P03": "a transaction was idle longer than the server allows (idle_in_transaction_session_timeout)"
            case "25P04": "a transaction took longer than the server allows (transaction_timeout)"
            default: "the server or the network ended it"
            }
        let isLimit = ["57P05", "25P03", "25P04"].contains(state)
        return FarewellError(
            "sql.08006", .tryAgain, "The connection to PostgreSQL was lost: \(reason).",
            remedy: "Try again; first check whether the statement took effect."
                + (isLimit ? " Raise the limit for Farewell's role (ALTER ROLE … SET …)." : ""))
    }

    static let silent = FarewellError(
        "sql.08006", .tryAgain, "The connection to PostgreSQL was closed: the server no longer answered.",
        remedy:
            "Check that the server runs and can be reached; first check whether the statement took effect.")

    static let unsent = FarewellError(
        "sql.08006", .tryAgain, "The connection to PostgreSQL was closed: the system could not send on it.",
        remedy: "Try again; first check whether the statement took effect.")

    static let unwatched = FarewellError(
        "sql.08006", .tryAgain, "The connection to PostgreSQL was closed: the system could not wait for its socket.",
        remedy: "Try again; the system may lack memory or socket descriptors.")

    static let commitUnknown = FarewellError(
        "sql.commit-unknown", .tryAgain,
        "The connection to PostgreSQL was lost during a commit: the transaction may have taken effect.",
        remedy: "Check its changes before trying again.")

    static let commitRolledBack = FarewellError(
        "sql.25P02", .ours, "The transaction had failed before its commit, so it was rolled back.",
        remedy: "Do not continue a transaction after one of its statements failed.")

    static let stalePlan = FarewellError(
        "sql.stale-plan", .tryAgain, "The schema changed under a prepared statement.", remedy: "Try again.")

    static let abandoned = FarewellError("sql.57014", .tryAgain, "The statements were cancelled.")

    static let returned = FarewellError(
        "sql.connection-returned", .ours, "A connection was used after its return to the pool.")

    static let closed = FarewellError("sql.closed", .ours, "The database was closed before this call.")

    /// The one setting among ours that takes a right.
    static let replicaRole = FarewellError(
        "sql.keys-off", .yoursToFix,
        "Sessions of this role start with session_replication_role = replica, in which PostgreSQL neither enforces "
            + "foreign keys nor fires triggers, and the role may not change that.",
        remedy: "As a superuser: ALTER ROLE … RESET session_replication_role, or ALTER DATABASE … RESET "
            + "session_replication_role, wherever it is set.")

    static let undetectedPooler = FarewellError(
        "sql.pooler", .yoursToFix,
        "An undetected pooler gives each transaction of this connection another session.",
        remedy: "Add `?pgbouncer=true` at the end of the address, or set database.pooled: true.")

    static let statementPooler = FarewellError(
        "sql.pooler-mode", .yoursToFix,
        "The pooler between Farewell and PostgreSQL is in statement mode, which allows no transactions.",
        remedy: "Use a pool in transaction or session mode (pgbouncer: pool_mode), or connect to the server itself.")
}
