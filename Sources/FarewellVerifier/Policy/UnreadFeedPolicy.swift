// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The handling of tokens before the feed of revocations was first read completely: earlier revocations are unknown
/// until then, which takes a moment after the start, or as long as the feed cannot be reached.
public enum UnreadFeedPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are refused, with ``TokenRefusal/revocationsUnknown``.
    case refuse
    /// They are accepted: an ended session may continue until the feed has been read.
    case accept
}
