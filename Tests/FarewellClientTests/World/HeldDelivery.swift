// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// A backend that does not answer some messages of the outbox before a gate opens.
struct HeldDelivery: SessionProvider {
    let network: Network
    let gate: Gate
    /// The tickets of these messages.
    let held: Set<String>
    /// The tickets of all messages that have been sent, in order.
    let sent = Diary()
    var name: String { network.name }
    var policy: SignOutPolicy { network.policy }

    func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await network.renew(session, nonce: nonce)
    }

    func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? {
        network.revocation(of: session, scope: scope)
    }

    func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) {
        let ticket = revocation.ticket.reveal { $0 }
        sent.note(ticket)
        if held.contains(ticket) { await gate.pass() }
        try await network.deliver(revocation)
    }

    func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        try await network.signOut(session, scope: scope)
    }

    func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        try await network.requestDeletion(of: session, intent)
    }

    func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        try await network.deletionStatus(intent)
    }
}
