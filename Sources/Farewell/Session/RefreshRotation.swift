// SPDX-License-Identifier: Apache-2.0

/// The decision about a presented refresh token: the rotation of RFC 9700, 4.14.2, made idempotent.
///
/// A refresh token is spent once and has one successor. A client that stores a nonce before the call may call again
/// with the same nonce, for instance after a lost response, and gets the same successor. A client that presents a spent
/// token with another nonce, or with none if one was given, is not the one that spent it.
///
/// Clients without a nonce get the behaviour of Supabase Auth: the token just before the active one answers with the
/// active one, and so does any older one within a short interval of the last refresh. There is never a second
/// successor.
public enum RefreshRotation {
    /// The position of a genuine token in its session's chain.
    public enum Standing: Sendable, Hashable, CaseIterable {
        /// The newest: not yet spent.
        case active
        /// The one before the newest, spent by a client that gave a nonce.
        case justSpentWithNonce
        /// The one before the newest, spent by a client without a nonce.
        case justSpentPlainly
        /// An older one; the last refresh was within the reuse interval and by a client without a nonce.
        case spentLately
        /// An older one.
        case spentLongAgo
        /// Newer than any this store knows of: the store was restored from an older back-up.
        case unknown
    }

    /// The client's proof beside the token.
    public enum Proof: Sendable, Hashable, CaseIterable {
        case noNonce
        /// The nonce with which the token was spent.
        case sameNonce
        /// Any other.
        case otherNonce
    }

    /// The decision.
    public enum Decision: Sendable, Hashable, CaseIterable {
        /// Spend the token; its successor becomes the active one.
        case advance
        /// Issue the active token again.
        case repeatActive
        /// End the whole session and publish it.
        case endSession
        /// Refuse; nothing changes.
        case refuse
    }

    /// Decides for every standing and proof; a token that is still active cannot have been spent with any nonce.
    public static func decide(_ standing: Standing, _ proof: Proof) -> Decision {
        switch (standing, proof) {
        case (.active, _): .advance
        case (.justSpentWithNonce, .sameNonce): .repeatActive
        case (.justSpentWithNonce, _): .endSession
        case (.justSpentPlainly, .noNonce), (.spentLately, .noNonce): .repeatActive
        // No nonce can be the right one for what was spent without.
        case (.justSpentPlainly, _), (.spentLately, _): .endSession
        case (.spentLongAgo, _): .endSession
        case (.unknown, _): .refuse
        }
    }

    /// The position of token number `token` in a session whose active token has number `active`.
    public static func standing(
        token: Int64, active: Int64, wasSpentWithNonce: Bool, isWithinReuseInterval: Bool
    ) -> Standing {
        if token > active { return .unknown }
        if token == active { return .active }
        if token == active - 1 { return wasSpentWithNonce ? .justSpentWithNonce : .justSpentPlainly }
        return isWithinReuseInterval && !wasSpentWithNonce ? .spentLately : .spentLongAgo
    }
}
