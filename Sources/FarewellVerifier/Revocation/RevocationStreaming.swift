// SPDX-License-Identifier: Apache-2.0

/// Opens a feed of revocations: a stream of server-sent events.
public protocol RevocationStreaming: Sendable {
    /// Follows the feed from the event after `cursor`, or from its beginning, until the server ends it.
    ///
    /// `receive` is called with no bytes once the server has agreed, then with each piece as it arrives. Throws
    /// ``RevocationFeedRefusal`` for any other answer than a stream, and when the task is cancelled.
    func follow(after cursor: String?, receive: @Sendable ([UInt8]) throws -> Void) async throws
}
