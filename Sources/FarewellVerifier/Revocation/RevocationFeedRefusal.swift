// SPDX-License-Identifier: Apache-2.0

/// The server did not open the feed.
public struct RevocationFeedRefusal: Error, Sendable, Hashable {
    /// The status of HTTP.
    public let status: Int

    public init(status: Int) { self.status = status }
}
