// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service's promise with an erasure, and an operator's hold.
struct ErasurePromise: Sendable, Hashable {
    /// The end of the time in which it can be cancelled; `nil` if it cannot.
    var graceUntil: Date?
    /// Its due date; `nil` if no service accepted it.
    var dueAt: Date?
    /// Why an operator holds it; `nil` when none does.
    var holdReason: String?
    /// When a worker may take it, or take it again after a failure; `nil` at once, or if no service accepted it.
    var readyAt: Date?
    /// The number of failed attempts since the last success.
    var failures = 0
}
