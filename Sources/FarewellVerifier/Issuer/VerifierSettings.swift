// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The rules of a verifier for all its issuers.
public struct VerifierSettings: Sendable, Hashable {
    /// How far the clocks of issuers and ours may be apart. At most 60 seconds.
    public var clockSkew: Duration
    /// The longest time from `iat` to `exp`; tokens made for longer are refused. `nil` leaves it to each issuer, whose
    /// own bound (``TrustedIssuer/longestLife``) holds in any case.
    public var longestLife: Duration?
    /// How many verified tokens are remembered, so that the same token need not be checked by its key again; 0 for
    /// none. Expiry, revocation and the freshness of its key are still checked every time.
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

    /// How long a revocation must be remembered: until the last token it can concern, of any of these issuers, has
    /// expired by every clock.
    public func retention(of issuers: [TrustedIssuer]) -> Duration {
        let lives = issuers.map { min($0.longestLife, longestLife ?? $0.longestLife) }
        return (lives.max() ?? .zero) + clockSkew * 2
    }
}
