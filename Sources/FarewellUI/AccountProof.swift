// SPDX-License-Identifier: Apache-2.0

/// How the user of the screens shows again who they are.
public enum AccountProof: Sendable, Hashable {
    /// By Sign in with Apple, whose sheet follows.
    case apple
    case password(String)
    /// The code that was sent to the account's address.
    case mailedCode(String)
}
