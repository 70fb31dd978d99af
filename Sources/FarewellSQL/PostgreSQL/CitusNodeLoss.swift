// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The loss of a worker node in the middle of a statement or of a transaction. Citus gives it no state of its own.
///
/// The words are those in the sources of Citus 11.0 to 14.0 (`remote_commands.c`, `remote_transaction.c`,
/// `adaptive_executor.c`, `placement_connection.c`, `intermediate_results.c`) and of libpq (`fe-misc.c`, `fe-exec.c`,
/// `fe-secure-openssl.c`). Other losses have the class 08, such as those by `ReportConnectionError`.
enum CitusNodeLoss {
    /// How the errors of libpq begin that `ReportResultError` passes on, and those of a node that reads from another.
    /// With TLS, which Citus uses unless told otherwise, a broken connection gives one line.
    private static let brokenConnections = [
        "server closed the connection unexpectedly", "no connection to the server", "connection not open",
        "invalid socket", "could not receive data from server", "could not send data to server",
        "lost synchronization with server", "SSL SYSCALL error", "SSL error", "unrecognized SSL error code",
        "SSL connection has been closed unexpectedly", "SSL_read failed", "SSL_write failed", "cannot connect to",
        "failed to read result",
    ]

    /// How errors of Citus itself begin, whichever function reports them.
    private static let lostNodes = [
        "failure on connection marked as essential", "execution cannot recover from multiple connection failures",
    ]

    /// The error, if one of the server's means such a loss.
    ///
    /// - Parameters:
    ///   - function: The function of the server that reports the error.
    ///   - message: Its text.
    static func error(state: String, function: String, message: String) -> FarewellError? {
        guard state == "XX000" else { return nil }
        if lostNodes.contains(where: message.hasPrefix) { return lost }
        switch function {
        case "ReportResultError", "fetch_intermediate_results", "FetchRemoteIntermediateResult":
            // Errors of a node's own have the same function, and one line. Other languages translate libpq's words.
            let isBroken = message.isEmpty || message.unicodeScalars.contains("\n")
            return isBroken || brokenConnections.contains(where: message.hasPrefix) ? lost : nil
        case "ErrorIfPostCommitFailedShardPlacements": return uncommitted
        default: return nil
        }
    }

    private static let lost = FarewellError(
        "sql.08006", .tryAgain, "The database lost the connection to a worker node of Citus.",
        remedy: "Try again. farewell doctor names the worker nodes that the coordinator cannot reach.")

    /// Citus reports a node that was lost at its commit and one that refused it in the same words.
    private static let uncommitted = FarewellError(
        "sql.08006", .tryAgain, "A worker node of Citus did not commit its part of a transaction.",
        remedy: "Try again. If it happens again, read the node's log: the connection was lost, or a deferred key or "
            + "trigger refuses the change.")
}
