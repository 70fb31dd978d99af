// SPDX-License-Identifier: Apache-2.0

/// The server did not open the feed.
public struct RevocationFeedRefusal: Error, Sendable, Hashable {
    /// Of HTTP.
    public let status: Int

    public init(status: Int) { self.status = status }
}
