// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The proof of a deletion, signed by the server. Holds nothing personal.
public struct DeletionReceipt: Sendable, Hashable {
    /// A compact JSON Web Signature (RFC 7515), which `farewell receipt verify` checks.
    public let signed: String
    /// The same as a page of HTML to read; `nil` if the server offers none.
    public let page: String?

    public init(signed: String, page: String? = nil) {
        self.signed = signed
        self.page = page
    }
}
