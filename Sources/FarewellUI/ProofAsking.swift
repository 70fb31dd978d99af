// SPDX-License-Identifier: Apache-2.0

package import Farewell
package import FarewellClient

/// A model that requests a proof of identity before its act.
@MainActor
package protocol ProofAsking: Announcing {
    var copy: Copy { get }
    /// The name of the act, as a title.
    var proofTitle: String { get }
    /// The proofs that the account can give.
    var proofs: [IdentityProof.Kind] { get }
    /// Whether a proof is being checked.
    var isChecking: Bool { get }
    /// The problem of the last proof; nil if there was none.
    var proofProblem: String? { get }
    /// Whether a code was sent to the account's address.
    var isCodeSent: Bool { get }

    func prove(_ proof: AccountProof) async
    func sendCode() async
    func cancel()
}
