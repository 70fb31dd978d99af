// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation
import Testing

@Suite("Apple's credential of the signed-in user")
struct AppleCredentialTests {
    @Test(
        "SE-7 one signal from Apple signs out and keeps the device's data; two that agree clear it; without a signal nothing changes",
        arguments: [
            ([AppleCredentialState.revoked, .revoked], AppleVerdict.signOutAndWipe), ([.notFound, .revoked], .signOutAndWipe),
            ([.revoked, .authorized], .signOut), ([.revoked, .unknown], .signOut), ([.authorized], .stay), ([.unknown], .stay),
            ([.transferred], .stay),
        ])
    func apple(_ states: [AppleCredentialState], _ verdict: AppleVerdict) async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            let apple = ScriptedApple(states)
            #expect(await device.checkAppleCredential(apple) == verdict)
            #expect(await device.standing == (verdict == .stay ? .signedIn(session) : .signedOut(.appleCredentialRevoked)))
            #expect(world.isThere(world.images) == (verdict != .signOutAndWipe))
            #expect(world.backend.isLive(session) == (verdict == .stay))
            #expect(apple.asked.withLock { $0 }.allSatisfy { $0 == "apple-anna" })
        }
    }

    @Test("SE-7 the system's notification is the first signal, Apple's state then the second")
    func notification() async throws {
        for (state, verdict) in [(AppleCredentialState.revoked, AppleVerdict.signOutAndWipe), (.authorized, .signOut)] {
            try await World.with { world in
                let (device, _) = try await world.signedIn()
                #expect(await device.appleCredentialWasRevoked(ScriptedApple([state])) == verdict)
                #expect(await device.standing == .signedOut(.appleCredentialRevoked))
                #expect(world.isThere(world.images) == (verdict == .signOut))
            }
        }
    }

    @Test("SE-7 one call checks the restored session once and follows the notifications until it is cancelled")
    func follows() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn()
            let device = try world.device()
            let apple = ScriptedApple([.authorized, .revoked])
            let following = Task { await device.followAppleCredential(apple) }
            await device.launch()
            try await eventually { apple.asked.withLock { $0.count } == 1 }
            #expect(await device.standing == .signedIn(session))
            apple.revoke.yield()
            try await eventually { await device.standing == .signedOut(.appleCredentialRevoked) }
            following.cancel()
            await following.value
            #expect(apple.asked.withLock { $0.count } == 2)
            try await eventually { !world.backend.isLive(session) }
        }
    }

    @Test("SE-7 a check that is cancelled between its two looks changes nothing")
    func cancelled() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            let apple = ScriptedApple([.revoked])
            let check = Task { await device.checkAppleCredential(apple, pause: .seconds(3_600)) }
            try await eventually { apple.asked.withLock { $0.count } == 1 }
            check.cancel()
            #expect(await check.value == .stay)
            #expect(await device.standing == .signedIn(session) && world.isThere(world.images))
        }
    }

    @Test("SE-7 a sign-out that cannot be begun is no sign-out: the verdict says so, the error is logged, and the next check repeats it")
    func unable() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            let lock = world.path + "/state/journal.lock"
            try FileManager.default.removeItem(atPath: lock)
            try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
            #expect(await device.checkAppleCredential(ScriptedApple([.revoked])) == .stay)
            #expect(await device.standing == .signedIn(session) && world.isThere(world.images))
            #expect(world.time.logged.withLock { $0 }.contains { $0.code == "device.storage" })
            try FileManager.default.removeItem(atPath: lock)
            #expect(await device.checkAppleCredential(ScriptedApple([.revoked])) == .signOutAndWipe)
            #expect(await device.standing == .signedOut(.appleCredentialRevoked))
        }
    }

    @Test("SE-7 SO-7 a backend without tickets also learns that the session has ended")
    func withoutTicket() async throws {
        try await World.with { world in
            var network = world.network
            network.hasTickets = false
            let (device, session) = try await world.signedIn("anna", world.device(network))
            #expect(await device.checkAppleCredential(ScriptedApple([.revoked])) == .signOutAndWipe)
            try await eventually { !world.backend.isLive(session) }
        }
    }

    @Test("SE-7 a sign-in after the launch is not checked, since Apple has just authenticated the user")
    func freshSignIn() async throws {
        try await World.with { world in
            let device = try world.device()
            let apple = ScriptedApple([.revoked])
            let following = Task { await device.followAppleCredential(apple) }
            await device.launch()
            apple.revoke.finish()
            await following.value
            let (_, session) = try await world.signedIn("anna", device)
            #expect(await device.standing == .signedIn(session) && apple.asked.withLock { $0.isEmpty })
        }
    }
}

/// Returns scripted answers, one after the other.
final class ScriptedApple: AppleCredentialChecking {
    private let states: Guarded<[AppleCredentialState]>
    let asked = Guarded<[String]>([])
    let revocations: AsyncStream<Void>
    /// Sends one of the system's notifications.
    let revoke: AsyncStream<Void>.Continuation

    init(_ states: [AppleCredentialState]) {
        self.states = Guarded(states)
        (revocations, revoke) = AsyncStream.makeStream(of: Void.self)
    }

    func state(of appleUserID: String) async -> AppleCredentialState {
        asked.withLock { $0.append(appleUserID) }
        return states.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}
