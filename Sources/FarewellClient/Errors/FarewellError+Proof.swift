// SPDX-License-Identifier: Apache-2.0
public import Farewell

extension FarewellError {
    /// The user closed the sheet that requested a proof.
    public static let proofCancelled = FarewellError(
        "device.proof-cancelled", .yoursToFix, "The proof was cancelled.", remedy: "Request it again.")
}
