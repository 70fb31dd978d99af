// SPDX-License-Identifier: Apache-2.0

/// A service's promise with erasures that workers perform later.
struct AcceptanceTerms: Sendable {
    /// How long they can be cancelled, in seconds; 0 is not at all.
    let graceSeconds: Int
    /// When they must be over at the latest, in seconds from now.
    let dueSeconds: Int
}
