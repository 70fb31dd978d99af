// SPDX-License-Identifier: Apache-2.0
import Farewell

/// How a verifier judges, for all its issuers.
public struct VerifierSettings: Sendable, Hashable {
    /// How far the clocks of issuers and ours may be apart. At most 60 seconds.
    public var clockSkew: Duration
    /// The longest time from `iat` to `exp`; tokens made for longer are refused. Revocations are kept for as long.
    public var longestLife: Duration
    /// How many verified tokens are remembered, so that the same token need not be checked by its key again; 0 for
    /// none. Expiry, revocation and the freshness of its key are looked at every time all the same.
    public var rememberedTokens: Int
    public var keys: KeySetPolicy
    public var lostFeed: LostFeedPolicy

    public init(
        clockSkew: Duration = .seconds(30), longestLife: Duration = .seconds(86_400), rememberedTokens: Int = 1024,
        keys: KeySetPolicy = KeySetPolicy(), lostFeed: LostFeedPolicy = .accept
    ) {
        self.clockSkew = clockSkew
        self.longestLife = longestLife
        self.rememberedTokens = rememberedTokens
        self.keys = keys
        self.lostFeed = lostFeed
    }

    /// For how long a revocation must be known: until the last token it can concern has expired by everybody's clock.
    public var retention: Duration { longestLife + clockSkew * 2 }
}

/// What becomes of tokens while the feed of revocations is lost.
public enum LostFeedPolicy: Sendable, Hashable {
    /// They are accepted until they expire: an ended session may go on for the rest of its token's life.
    case accept
    /// They are refused, with ``TokenRefusal/revocationsUnknown``, once nothing was heard for that long.
    case refuse(after: Duration)
}
