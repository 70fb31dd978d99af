// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation

/// Opens once. Waiting ignores cancellation: an answer on its way arrives all the same.
final class Gate: Sendable {
    private let state = Guarded<(isOpen: Bool, arrived: Int, waiting: [CheckedContinuation<Void, Never>])>((false, 0, []))

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, state.arrived, []) }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    func pass() async {
        await withCheckedContinuation { one in
            let isOpen = state.withLock { state in
                state.arrived += 1
                if !state.isOpen { state.waiting.append(one) }
                return state.isOpen
            }
            if isOpen { one.resume() }
        }
    }

    /// Opens at a recorded state and keeps the device there until the other gate opens.
    func holding(at last: DepartureStep, until other: Gate) -> DepartureObserver {
        { step in
            guard step == last else { return }
            self.open()
            await other.pass()
        }
    }

    /// Opens at a recorded state and keeps the device there: the process never continues, as after a kill.
    func stopping(at last: DepartureStep) -> DepartureObserver {
        { step in
            guard step == last else { return }
            self.open()
            await untilCancelled()
        }
    }

    func opened() async throws {
        try await eventually { state.withLock { $0.isOpen } }
    }

    func arrived() async throws {
        try await eventually { state.withLock { $0.arrived } > 0 }
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
