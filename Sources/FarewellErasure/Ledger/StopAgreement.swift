// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The stops that only the file of stops has, as after a restore of the database, or only the database.
package struct StopAgreement: Sendable, Hashable {
    /// Erasures that their subjects had cancelled.
    package var cancelled: [UUID] = []
    /// Erasures that an operator had held, and cancelled ones that have begun since.
    package var held: [UUID] = []
    /// Held erasures that the file lacks, as after the restore of an older state directory.
    package var missingInFile: [UUID] = []

    init() {}

    init(_ comparison: StopComparison) {
        cancelled = comparison.cancelling.map(\.erasure)
        held = comparison.holding.map(\.erasure)
        missingInFile = comparison.unknownHeld.sorted { $0.text < $1.text }
    }

    /// Whether the database had forgotten none.
    package var isEmpty: Bool { cancelled.isEmpty && held.isEmpty }
}
