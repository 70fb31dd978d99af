// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// One erasure in work: its record, its subject, and the key that opens both.
package struct OpenedErasure: Sendable {
    package var record: ErasureRecord
    package var subject: SealedSubject
    /// Opens what is sealed, and makes the keys under which columns are hashed; destroyed with the run.
    package var seal: RunSeal

    /// The identifier of the receipt, if the erasure's own was issued before the database was restored.
    var otherReceipt: UUID?

    package var id: UUID { record.id }
    /// The identifier of the receipt: the erasure's own, or another one if that was issued before.
    var receipt: UUID { otherReceipt ?? record.id }

    /// All rows of the subject, in every place; at least those that its links reach directly, if they were not counted.
    var size: Int { max(subject.counts.values.reduce(0, +), subject.directRows ?? 0) }
}
