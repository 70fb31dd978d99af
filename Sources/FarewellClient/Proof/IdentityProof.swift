// SPDX-License-Identifier: Apache-2.0

/// A fresh proof of the user's identity, for acts that need a recent sign-in.
public enum IdentityProof: Sendable, Equatable {
    /// A fresh token of Apple or another issuer, with the nonce whose hash it contains.
    case identityToken(Token, issuer: String, nonce: String?)
    case password(Token)
    /// A code that was sent to the account's address.
    case mailedCode(Token)

    /// Its kind, as screens offer it.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Identifiable {
        case apple, password, mailedCode

        public var id: Kind { self }
    }
}
