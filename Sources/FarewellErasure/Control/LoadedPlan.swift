// SPDX-License-Identifier: Apache-2.0

/// A plan as the control store orders it.
struct LoadedPlan: Sendable, Hashable {
    /// The fingerprint that erasures and receipts name.
    let fingerprint: String
    /// The fingerprint of the plan as its file says it. If the plan has relative folders, the other one differs from
    /// it, and from folder to folder.
    let source: String
}
