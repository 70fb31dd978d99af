// SPDX-License-Identifier: Apache-2.0

/// Whether a feed is being followed.
public enum FeedState: String, Sendable, Hashable, CaseIterable {
    /// Not yet, since the beginning.
    case connecting
    /// It answers, and what ended before is being read.
    case catchingUp = "catching-up"
    /// Now, and all of it has been read.
    case following
    /// Not any more; it is being tried again.
    case lost
}
