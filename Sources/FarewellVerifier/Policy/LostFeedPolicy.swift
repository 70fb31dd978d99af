// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The handling of tokens while the feed of revocations is lost, after it had been read once.
public enum LostFeedPolicy: Sendable, Hashable {
    /// They are accepted until they expire: an ended session may continue for the rest of its token's life.
    case accept
    /// They are refused, with ``TokenRefusal/revocationsUnknown``, once the feed has been silent for that long.
    case refuse(after: Duration)
}
