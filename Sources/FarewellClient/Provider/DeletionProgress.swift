// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// How far a deletion has come.
public struct DeletionProgress: Sendable, Hashable {
    /// What the server calls it; `nil` where it has no name.
    public let id: String?
    /// Where it stands, in the server's word for people, such as `running`.
    public let state: String
    /// Until when it can be taken back; `nil` where it cannot.
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
