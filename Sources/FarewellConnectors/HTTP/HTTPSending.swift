// SPDX-License-Identifier: Apache-2.0

/// Sends one call and returns its answer, whatever it is.
package protocol HTTPSending: Sendable {
    /// - Throws: `SendingFailure`, `CancellationError`.
    func send(_ call: SystemCall) async throws -> SystemReply
    /// Ends all connections; nothing can be sent afterwards.
    func close() async throws
}
