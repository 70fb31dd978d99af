// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The progress of a deletion.
public struct DeletionProgress: Sendable, Hashable {
    /// The server's name for the deletion; `nil` if it has none.
    public let id: String?
    /// Its state, in the server's word for users, such as `running`.
    public let state: String
    /// Until when it can be cancelled; `nil` if it cannot.
    public let graceUntil: Date?
    /// The proof, once it is done and where the server offers one.
    public var receipt: DeletionReceipt?

    public init(id: String? = nil, state: String, graceUntil: Date? = nil, receipt: DeletionReceipt? = nil) {
        self.id = id
        self.state = state
        self.graceUntil = graceUntil
        self.receipt = receipt
    }
}
