// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The loss of a worker node in the middle of a statement or of a transaction. Citus gives it no state of its own.
enum CitusNodeLoss {
    /// How the errors of libpq begin that it passes on.
    private static let beginnings = [
        "server closed the connection unexpectedly", "no connection to the server",
        "could not receive data from server", "could not send data to server", "SSL SYSCALL error",
        "SSL connection has been closed unexpectedly",
    ]

    /// - Parameters:
    ///   - function: The function of the server that reports the error.
    ///   - message: Its text.
    static func isReported(state: String, function: String, message: String) -> Bool {
        guard state == "XX000" else { return false }
        if message.hasPrefix("failure on connection marked as essential") { return true }
        // Errors of a node's own have the same function, and one line.
        return function == "ReportResultError"
            && (message.unicodeScalars.contains("\n") || beginnings.contains { message.hasPrefix($0) })
    }

    static let error = FarewellError(
        "sql.08006", .tryAgain, "The database lost the connection to a worker node of Citus.",
        remedy: "Try again. farewell doctor names the worker nodes that the coordinator cannot reach.")
}
