// SPDX-License-Identifier: Apache-2.0

/// The state of a feed of revocations.
public struct FeedFreshness: Sendable, Hashable {
    public let state: FeedState
    /// The time since the last reading of the whole feed; `nil` if it never was read completely.
    public let age: Duration?
    /// The place in the feed that has been reached.
    public let cursor: String?
    /// Entries that could not be read and so were passed over: a server newer than this follower.
    public let unreadableEvents: Int
}
