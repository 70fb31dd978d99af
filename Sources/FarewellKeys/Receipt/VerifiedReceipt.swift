// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A receipt with a valid signature, and the name of the key that made it.
public struct VerifiedReceipt: Sendable, Hashable {
    public let receipt: Receipt
    /// The `kid` of the key in the verifier's list.
    public let key: String
}
