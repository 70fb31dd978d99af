// SPDX-License-Identifier: Apache-2.0
import Farewell

/// What becomes of tokens before the feed of revocations was read to its end for the first time: what ended earlier
/// is not known until then, which is a moment after the start, or as long as the feed cannot be reached.
public enum UnreadFeedPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are refused, with ``TokenRefusal/revocationsUnknown``.
    case refuse
    /// They are accepted: an ended session may go on until the feed has been read.
    case accept
}
