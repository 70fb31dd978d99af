// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// The answer while an account is still there: the request was taken, and that is all that has succeeded. Members of
/// the contracts' own answers keep their names; the others are those of `/v1/erasures`.
struct PendingDeletion: Encodable {
    let success = true
    let message: String
    let id: String
    let state: String
    let is_held: Bool
    let grace_until: String?
    let due_at: String?
    var deleted: [String: Bool]?

    /// nil if the account is gone.
    init?(_ outcome: DeletionOutcome) {
        guard let erasure = outcome.erasure, !outcome.isOver else { return nil }
        let view = ErasureView(erasure, keepsAccount: outcome.keepsAccount)
        id = view.id
        state = view.state
        is_held = view.is_held
        grace_until = view.grace_until
        due_at = view.due_at
        if view.is_held {
            message = "User account deletion is on hold"
        } else if erasure.state == .grace {
            message = "User account will be deleted"
        } else {
            message = "User account is being deleted"
        }
    }
}
