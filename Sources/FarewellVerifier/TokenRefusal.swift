// SPDX-License-Identifier: Apache-2.0

/// Why a token was refused. Counted by the verifier; never holds anything of the token.
public enum TokenRefusal: String, Sendable, Hashable, CaseIterable {
    /// Not a compact JWS within the limits, or with a header that cannot be read in one way only.
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
    /// Expired, or not yet valid.
    case time
    /// A claim that must be there is missing or of the wrong type.
    case claims
    /// Its session was revoked, or its person's sessions were.
    case revoked
}
