// SPDX-License-Identifier: Apache-2.0

/// An event of an erasure.
public enum ErasureEvent: String, Sendable, Hashable, CaseIterable {
    case delay
    case cancel
    case fence
    case start
    case finishSteps = "finish steps"
    case findLeftovers = "find leftovers"
    case issueReceipt = "issue receipt"
    case park
    case release
}
