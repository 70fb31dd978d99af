// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// Opens once.
final class Gate: Sendable {
    private let isOpen = Guarded(false)
    private let hasArrived = Guarded(false)

    func open() { isOpen.withLock { $0 = true } }

    func pass() async {
        hasArrived.withLock { $0 = true }
        while !isOpen.withLock({ $0 }) { await Task.yield() }
    }

    func arrived() async {
        while !hasArrived.withLock({ $0 }) { await Task.yield() }
    }
}

/// A backend whose answers to renewals and deletions wait at a gate.
struct GatedProvider: SessionProvider {
    let network: Network
    let gate: Gate
    var name: String { network.name }
    var policy: SignOutPolicy { network.policy }

    func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        let answer = try await network.renew(session, nonce: nonce)
        await gate.pass()
        return answer
    }

    func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? {
        network.revocation(of: session, scope: scope)
    }

    func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) { try await network.deliver(revocation) }

    func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        try await network.signOut(session, scope: scope)
    }

    func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        let answer = try await network.requestDeletion(of: session, intent)
        await gate.pass()
        return answer
    }

    func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        try await network.deletionStatus(intent)
    }
}
