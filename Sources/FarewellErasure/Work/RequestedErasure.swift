// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
public import Foundation

/// An erasure as those see it who asked for it. Holds nothing of the person.
public struct RequestedErasure: Sendable, Hashable {
    public var status: ErasureStatus
    /// Until when it can be taken back; `nil` where it cannot.
    public var graceUntil: Date?
    /// When it has to be over.
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
