// SPDX-License-Identifier: Apache-2.0
import FarewellClient
import Foundation

/// A promise of `TokenStore` that was not kept.
public struct TokenStoreViolation: Error, CustomStringConvertible {
    public let description: String

    init(_ promise: String) { description = "Not so: \(promise)." }
}
