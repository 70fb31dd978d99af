// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
public import Foundation

/// An undelivered event, after all usual tries. Holds nothing personal.
public struct DeadLetter: Sendable, Hashable {
    public var endpoint: String
    public var erasure: UUID
    public var kind: ErasureEventKind
    public var attempts: Int
    public var reason: String
}
