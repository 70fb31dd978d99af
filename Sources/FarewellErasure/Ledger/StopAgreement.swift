// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The stops that the database had forgotten, as after its back-up was restored.
package struct StopAgreement: Sendable, Hashable {
    /// Erasures that their subjects had cancelled.
    package var cancelled: [UUID] = []
    /// Erasures that an operator had held, and cancelled ones that have begun since.
    package var held: [UUID] = []

    init() {}

    init(_ comparison: StopComparison) {
        cancelled = comparison.cancelling.map(\.erasure)
        held = comparison.holding.map(\.erasure)
    }

    package var isEmpty: Bool { cancelled.isEmpty && held.isEmpty }
}
