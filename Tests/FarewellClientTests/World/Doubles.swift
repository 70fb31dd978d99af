// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// A store that can be locked, and that can refuse to write or remove.
final class LockableStore: TokenStore {
    let inner = MemoryTokenStore()
    let isLocked = Guarded(false)
    let refusesWrites = Guarded(false)
    let name = "lockable"
    private static let locked = FarewellError("test.locked", .tryAgain, "Locked.")

    func read() -> StoreReading { isLocked.withLock { $0 } ? .unknown(Self.locked) : inner.read() }

    func write(_ record: Data) throws {
        if isLocked.withLock({ $0 }) || refusesWrites.withLock({ $0 }) { throw Self.locked }
        inner.write(record)
    }

    func remove() throws {
        if isLocked.withLock({ $0 }) || refusesWrites.withLock({ $0 }) { throw Self.locked }
        inner.remove()
    }
}

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

/// Notes what was done, in order.
final class Diary: Sendable {
    private let lines = Guarded<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// A subscription service that notes, and fails if it is told to.
struct NotingSubscriptions: SubscriptionService {
    let diary: Diary
    var fails = false

    func logOut() async throws {
        diary.note("subscriptions")
        if fails { throw FarewellError("test.subscriptions", .tryAgain, "No.") }
    }
}

/// A participant that notes when it is cleared, and does as it is told.
struct NotingParticipant: Participant {
    let name: String
    let diary: Diary
    var holds: String { "notes" }
    var clears = Clearing.onSignOut
    var after: Set<String> = []
    var place = WipePlace.disk
    var failure: FarewellError?
    var left: @Sendable () -> [String] = { [] }

    func clear(_ occasion: WipeOccasion) async throws {
        diary.note(name)
        if let failure { throw failure }
    }

    func leftovers(_ occasion: WipeOccasion) async throws -> [String] { left() }
}
