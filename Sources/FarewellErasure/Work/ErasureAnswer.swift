// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// The answer to a request.
public struct ErasureAnswer: Sendable {
    public var erasure: RequestedErasure
    public var ticket: ErasureTicket
    /// Whether it was requested before: nothing new was begun.
    public var isKnown: Bool
    /// The erasure in the hands of a worker of this process; `nil` if it is in the queue.
    package var handed: HandedErasure?

    package init(erasure: RequestedErasure, ticket: ErasureTicket, isKnown: Bool) {
        self.erasure = erasure
        self.ticket = ticket
        self.isKnown = isKnown
    }
}
