// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
public import Foundation

/// An event that nobody took, after all usual tries. Holds nothing of a person.
public struct DeadLetter: Sendable, Hashable {
    public var endpoint: String
    public var erasure: UUID
    public var kind: ErasureEventKind
    public var attempts: Int
    public var reason: String
}
