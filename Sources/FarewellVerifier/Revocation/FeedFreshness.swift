// SPDX-License-Identifier: Apache-2.0

/// How it stands with a feed of revocations.
public struct FeedFreshness: Sendable, Hashable {
    public let state: FeedState
    /// How long ago anything was heard, a heartbeat or a revocation; `nil` if nothing ever was.
    public let age: Duration?
    /// The place in the feed that has been reached.
    public let cursor: String?
    /// Entries that could not be read and so were passed over: a server newer than this follower.
    public let unreadableEvents: Int
}

/// Whether a feed is being followed.
public enum FeedState: String, Sendable, Hashable, CaseIterable {
    /// Not yet, since the beginning.
    case connecting
    /// Now.
    case following
    /// Not any more; it is being tried again.
    case lost
}
