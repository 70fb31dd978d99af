// SPDX-License-Identifier: Apache-2.0

/// A fresh proof of who the user is, for what needs a recent sign-in.
public enum IdentityProof: Sendable, Equatable {
    /// What Apple or another issuer gave the app just now, with the nonce whose hash is in it.
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
