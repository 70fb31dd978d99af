// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
public import Foundation

/// One erasure in the control store. Holds nothing personal: its subject is sealed.
public struct ErasureRecord: Sendable, Hashable {
    public var id: UUID
    public var state: ErasureState
    /// Why it is parked, in words; only in `needsAttention`.
    public var cause: String?
    public var requestedAt: Date
    public var finishedAt: Date?
    /// The number of times a worker has claimed it, counted before the work so that a crash counts.
    public var attempts: Int
    /// The worker, as `host:process`; `nil` if there is none.
    public var owner: String?
    /// The end of the owner's lease.
    public var leaseUntil: Date?
    /// The number of the current lease. Every write checks it.
    public var epoch: Int64
    public var subjectHash: String
    public var planFingerprint: String
    public var schemaFingerprint: String
    /// The signed receipt, once there is one.
    public var receipt: String?
    package var wrappedKey: [UInt8]?
    package var sealed: [UInt8]?
}

extension SQLValue {
    /// A subject's key as it is hashed. A UUID that a database holds as text is the same in either letter case, and a
    /// number is the text that is stored of it.
    var asSubject: SQLValue {
        switch self {
        case .numeric(let number): .text(number)
        case .text(let text) where UUID(text: text) != nil: .text(text.lowercased())
        default: self
        }
    }
}
