// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation

/// Identifies callers by their token and nothing else: neither path nor query nor body can name a subject.
struct ErasurePerson: Sendable {
    /// The key in the plan's subject table.
    let subject: String
    /// The time of the last proof of identity; nil if the issuer does not report it.
    let provedAt: Date?
    /// The user at our own authority; nil for users of other issuers.
    let caller: Caller?
    /// Whether they have only their session, and could never prove their identity again.
    var isAnonymous = false
    /// The lifetime of the token in seconds; nil for users of our own authority.
    var tokenLife: Int?
    /// The time at which the token was issued; nil for users of our own authority, whose sessions end with an erasure.
    var tokenIssuedAt: Date?
    /// The time, by the plan's store, before the user was identified.
    var askedAt: Date?

    /// Names the sign-in that the token is from, among those of this user: our own session, or the time of the proof
    /// at another issuer, which all tokens of a sign-in contain. Nil if the token reports neither.
    var signIn: String? {
        guard caller == nil else { return caller?.session?.id.text }
        return provedAt.map { String($0.timeIntervalSince1970) }
    }
}
