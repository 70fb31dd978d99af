// SPDX-License-Identifier: Apache-2.0

/// A service's promise with an erasure that workers perform later.
struct AcceptanceTerms: Sendable {
    /// How long it can be cancelled, in seconds; 0 is not at all.
    let graceSeconds: Int
    /// When it must be over at the latest, in seconds from now.
    let dueSeconds: Int
    let ticket: TicketRecord
    /// The member, if a worker of this process carries its erasure out at once: the fence stands with acceptance.
    var handed: ErasureMember?
}
