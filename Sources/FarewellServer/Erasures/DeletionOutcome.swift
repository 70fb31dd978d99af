// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// The state of a deletion when its caller is answered.
struct DeletionOutcome: Sendable {
    /// nil if the account had no data.
    var erasure: RequestedErasure?
    /// Whether all data but the account is deleted.
    var keepsAccount = false

    /// Whether the account is deleted, or certain to be.
    var isFine: Bool { erasure?.state != .needsAttention }
    /// Whether everything is gone.
    var isOver: Bool { (erasure.map { $0.state == .done } ?? true) && !keepsAccount }
}
