// SPDX-License-Identifier: Apache-2.0
import Farewell

/// How a verifier judges, for all its issuers.
public struct VerifierSettings: Sendable, Hashable {
    /// How far the clocks of issuers and ours may be apart. At most 60 seconds.
    public var clockSkew: Duration
    /// The longest time from `iat` to `exp`; tokens made for longer are refused. `nil` leaves it to each issuer, whose
    /// own bound (``TrustedIssuer/longestLife``) holds in any case.
    public var longestLife: Duration?
    /// How many verified tokens are remembered, so that the same token need not be checked by its key again; 0 for
    /// none. Expiry, revocation and the freshness of its key are looked at every time all the same.
    public var rememberedTokens: Int
    public var keys: KeySetPolicy
    public var unreadFeed: UnreadFeedPolicy
    public var lostFeed: LostFeedPolicy

    public init(
        clockSkew: Duration = .seconds(30), longestLife: Duration? = nil, rememberedTokens: Int = 1024,
        keys: KeySetPolicy = KeySetPolicy(), unreadFeed: UnreadFeedPolicy = .refuse,
        lostFeed: LostFeedPolicy = .accept
    ) {
        self.clockSkew = clockSkew
        self.longestLife = longestLife
        self.rememberedTokens = rememberedTokens
        self.keys = keys
        self.unreadFeed = unreadFeed
        self.lostFeed = lostFeed
    }

    /// For how long a revocation must be known: until the last token it can concern, of any of these issuers, has
    /// expired by everybody's clock.
    public func retention(of issuers: [TrustedIssuer]) -> Duration {
        let lives = issuers.map { min($0.longestLife, longestLife ?? $0.longestLife) }
        return (lives.max() ?? .zero) + clockSkew * 2
    }
}

/// What becomes of tokens before the feed of revocations was read to its end for the first time: what ended earlier
/// is not known until then, which is a moment after the start, or as long as the feed cannot be reached.
public enum UnreadFeedPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are refused, with ``TokenRefusal/revocationsUnknown``.
    case refuse
    /// They are accepted: an ended session may go on until the feed has been read.
    case accept
}

/// What becomes of tokens while the feed of revocations is lost, after it had been read once.
public enum LostFeedPolicy: Sendable, Hashable {
    /// They are accepted until they expire: an ended session may go on for the rest of its token's life.
    case accept
    /// They are refused, with ``TokenRefusal/revocationsUnknown``, once nothing was heard for that long.
    case refuse(after: Duration)
}
