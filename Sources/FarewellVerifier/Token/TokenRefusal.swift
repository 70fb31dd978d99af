// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// Why a token was refused. Counted by the verifier; never holds anything of the token.
public enum TokenRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// Not a compact JWS within the limits, or one that cannot be read in one way only.
    case malformed
    /// No trusted issuer of this name.
    case issuer
    /// No key of that identifier.
    case key
    /// An algorithm that this issuer's key is not for.
    case algorithm
    /// The signature does not belong to the content.
    case signature
    /// Not meant for this service.
    case audience
    /// A token of another purpose.
    case purpose
    /// Expired, not yet valid, or valid for longer than the issuer's tokens may be.
    case time
    /// A claim that must be there is missing or of the wrong type.
    case claims
    /// Its session was revoked, or all of its user's sessions were.
    case revoked
    /// It may be used once, and was used before.
    case replayed
    /// The issuer's keys cannot be fetched now. The same token may be accepted later.
    case keysUnavailable = "keys-unavailable"
    /// The feed of revocations was not read yet (``UnreadFeedPolicy``), or lost for longer than ``LostFeedPolicy``
    /// allows. The same token may be accepted later.
    case revocationsUnknown = "revocations-unknown"

    /// Whether a repeated request can help. The two temporary reasons are answered with 503, all others with 401.
    public var family: FarewellError.Family {
        switch self {
        case .keysUnavailable, .revocationsUnknown: .tryAgain
        default: .yoursToFix
        }
    }

    /// The same as an error with words, its code `token.` and this reason's name. Safe to log.
    public var error: FarewellError { FarewellError(.init(rawValue: "token.\(rawValue)"), family, message) }

    private var message: String {
        switch self {
        case .malformed: "The token is malformed or ambiguous."
        case .issuer: "The token's issuer is not trusted here."
        case .key: "The token names a key that its issuer does not publish."
        case .algorithm: "The token is signed by an algorithm that its issuer does not use."
        case .signature: "The signature of the token does not match."
        case .audience: "The token is meant for another service."
        case .purpose: "The token is made for another purpose."
        case .time: "The token has expired, or is not valid yet."
        case .claims: "The token lacks a claim, or has an invalid one."
        case .revoked: "The session of the token was ended."
        case .replayed: "The token works once and was already used."
        case .keysUnavailable: "The keys of the token's issuer are temporarily unavailable."
        case .revocationsUnknown: "The list of ended sessions is temporarily unavailable."
        }
    }
}
