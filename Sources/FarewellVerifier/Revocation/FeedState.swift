// SPDX-License-Identifier: Apache-2.0

/// Whether a feed is being followed.
public enum FeedState: String, Sendable, Hashable, CaseIterable {
    /// Not yet connected.
    case connecting
    /// Connected; the earlier revocations are being read.
    case catchingUp = "catching-up"
    /// Connected, and the whole feed has been read.
    case following
    /// Lost; the follower tries to connect again.
    case lost
}
