// SPDX-License-Identifier: Apache-2.0

/// How it stands with a feed of revocations.
public struct FeedFreshness: Sendable, Hashable {
    public let state: FeedState
    /// How long ago the feed was last heard with all of it read; `nil` if it never was read to its end.
    public let age: Duration?
    /// The place in the feed that has been reached.
    public let cursor: String?
    /// Entries that could not be read and so were passed over: a server newer than this follower.
    public let unreadableEvents: Int
}
