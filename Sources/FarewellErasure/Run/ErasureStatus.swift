// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// An erasure with its steps, as an operator asks for it.
public struct ErasureStatus: Sendable, Hashable {
    public var erasure: ErasureRecord
    public var steps: [StepRecord]
    /// Rows and files done so far in a long step, where one is under way.
    public var done: Int?

    /// Why nothing happens before a day, where a system has done what it can until then.
    public var rest: String? { steps.lazy.compactMap { $0.progress?.rest }.first }

    /// Whether a system of somebody else was asked and is not done with.
    public var waitsForSystem: Bool { steps.contains { $0.name.hasPrefix("system: ") && !$0.isOver } }
}
