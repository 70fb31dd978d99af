// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// How a deletion stands when its caller is answered.
struct DeletionOutcome: Sendable {
    /// nil where there was nothing of the account.
    var erasure: RequestedErasure?
    /// Whether everything else is gone and the account is not.
    var keepsAccount = false

    /// Whether the account is deleted, or certain to be.
    var isFine: Bool { erasure?.state != .needsAttention }
    /// Whether everything is gone.
    var isOver: Bool { (erasure.map { $0.state == .done } ?? true) && !keepsAccount }
}
