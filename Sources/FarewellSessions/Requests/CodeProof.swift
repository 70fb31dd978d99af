// SPDX-License-Identifier: Apache-2.0

/// The proof that a user has received a mail (contract, `/verify`).
public enum CodeProof: Sendable {
    /// The digits, and the address they were sent to.
    case code(String, email: String)
    /// The token of a link.
    case token(String)
}
