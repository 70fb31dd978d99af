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

extension ProofAsking {
    /// The text about a proof that failed.
    ///
    /// - Parameters:
    ///   - cancelled: The text for a proof that the user cancelled.
    ///   - ofAnother: The text for a proof of another user.
    ///   - wrong: The text for any other proof that was refused.
    func words(
        about error: any Error, cancelled: Copy.Key, ofAnother: Copy.Key, wrong: Copy.Key
    ) -> String {
        let error = error as? FarewellError
        if error?.code == FarewellError.proofCancelled.code { return copy[cancelled] }
        if error?.code == "device.another-person" { return copy[ofAnother] }
        return error?.family == .tryAgain ? copy[.unreachable] : copy[wrong]
    }
}
