// SPDX-License-Identifier: Apache-2.0

/// How the user proves their identity again.
public enum AccountProof: Sendable, Hashable {
    /// By Sign in with Apple, whose sheet follows.
    case apple
    case password(String)
    /// The code that was sent to the account's address.
    case mailedCode(String)
}
