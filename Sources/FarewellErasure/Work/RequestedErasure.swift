// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
public import Foundation

/// An erasure as its requester sees it. Holds nothing personal.
public struct RequestedErasure: Sendable, Hashable {
    public var status: ErasureStatus
    /// Until when it can be cancelled; `nil` if it cannot.
    public var graceUntil: Date?
    /// When it must be over.
    public var dueAt: Date?
    /// Why an operator holds it; `nil` when none does.
    public var holdReason: String?

    public var id: UUID { status.erasure.id }
    public var state: ErasureState { status.erasure.state }
    public var receipt: String? { status.erasure.receipt }
}

extension RequestedErasure {
    init(_ status: ErasureStatus, _ promise: ErasurePromise?) {
        self.init(
            status: status, graceUntil: promise?.graceUntil, dueAt: promise?.dueAt, holdReason: promise?.holdReason)
    }
}
