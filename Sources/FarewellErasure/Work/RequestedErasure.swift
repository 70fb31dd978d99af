// SPDX-License-Identifier: Apache-2.0

import Farewell
public import Foundation

/// An erasure as its requester sees it. Holds nothing personal.
public struct RequestedErasure: Sendable, Hashable {
    public var status: ErasureStatus

    public var id: UUID { status.erasure.id }
    public var state: ErasureState { status.erasure.state }
    public var receipt: String? { status.erasure.receipt }
    /// Until when it can be cancelled; `nil` if it cannot.
    public var graceUntil: Date? { status.graceUntil }
    /// When it must be over.
    public var dueAt: Date? { status.dueAt }
    /// Why an operator holds it; `nil` when none does.
    public var holdReason: String? { status.holdReason }
}
