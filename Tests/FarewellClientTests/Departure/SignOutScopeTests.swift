// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Sign-outs in several scopes")
struct SignOutScopeTests {
    /// A backend that ends other sessions only once the gate is open, and answers renewals of Anna's only then.
    private func provider(_ gate: Gate) -> CustomProvider {
        CustomProvider(
            "gated",
            renewing: { session, _ async throws(ProviderFailure) in
                if session.user.id == "anna" { await gate.pass() }
                var next = session
                next.accessToken = Token("next of \(session.user.id)")
                return ProviderAnswer(next)
            },
            signingOut: { _, scope async throws(ProviderFailure) in if scope == .others { await gate.pass() } },
            requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
    }

    @Test("SO-4 SO-5 a sign-out happens at once and in its own scope while the end of the other sessions is in progress")
    func separate() async throws {
        try await World.with { world in
            let gate = Gate()
            let (device, _) = try await world.signedIn("anna", world.device(provider(gate)))
            let others = Task { try await device.signOut(.others) }
            try await gate.arrived()
            let here = Task { try await device.signOut(.local, timeout: .seconds(3_600)) }
            try await eventually { await device.standing == .signedOut(.byYou) }
            #expect(try await here.value.server == .told && !world.isThere(world.images))
            gate.open()
            #expect(await code { _ = try await others.value } == "device.signed-out")
        }
    }

    @Test("SO-5 while the tokens are locked, the end of the other sessions changes nothing here and reports the lock")
    func locked() async throws {
        try await World.with { world in
            let store = LockableStore()
            let (_, session) = try await world.signedIn("anna", world.device(store: store))
            store.isLocked.withLock { $0 = true }
            let device = try world.device(store: store)
            await device.launch()
            #expect(await code { _ = try await device.signOut(.others) } == "test.locked")
            #expect(world.isThere(world.images) && world.backend.isLive(session))
            store.isLocked.withLock { $0 = false }
            #expect(await device.launch() == .signedIn(session))
        }
    }

    @Test("SO-5 a caller who asks to sign out everywhere during a sign-out here learns that the other sessions are not ended")
    func wider() {
        let done = SignOutResult(device: WipeReport([]), server: .told)
        for asked in SignOutScope.allCases {
            for first in SignOutScope.allCases {
                let answer = done.answering(asked, after: first)
                #expect(answer.server == (asked == .global && first == .local ? .unconfirmed : .told), "\(asked) after \(first)")
            }
        }
    }

    @Test("SE-3 SO-10 the next user waits for no renewal of the former user's session, and does not get its result")
    func formerRenewal() async throws {
        try await World.with { world in
            let gate = Gate()
            let (device, anna) = try await world.signedIn("anna", world.device(provider(gate)))
            let late = Task { try await device.renewed(from: anna) }
            try await gate.arrived()
            try await device.signOut(timeout: .seconds(3_600))
            let (_, berta) = try await world.signedIn("berta", device)
            let renewed = Task { try await device.renewed(from: berta) }
            try await eventually { await device.standing.session?.accessToken == Token("next of berta") }
            #expect(try await renewed.value.user.id == "berta")
            gate.open()
            #expect(await code { _ = try await late.value } != nil)
        }
    }

    @Test("SO-10 the next user's download of data waits for none of the former user's")
    func formerExport() async throws {
        try await World.with { world in
            let (gate, isHeld) = (Gate(), Guarded(false))
            let export = #"{"id":"e1","state":"waiting"}"#
            let transport = ScriptedTransport([(202, export)] + Array(repeating: (200, "{}"), count: 4))
            var environment = world.time.environment()
            let passes = environment.sleep
            environment.sleep = { duration in
                if isHeld.withLock({ $0 }) { await gate.pass() }
                try await passes(duration)
            }
            let device = try FarewellDevice(
                FarewellProvider(URL(fileURLWithPath: "/"), transport: transport), in: world.folder, store: MemoryTokenStore(),
                participants: [DataExportFolder(world.path + "/exports")], environment: environment)
            _ = try await world.signedIn("anna", device)
            isHeld.withLock { $0 = true }
            let late = Task { try await device.exportData() }
            try await gate.arrived()
            isHeld.withLock { $0 = false }
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .told)
            _ = try await world.signedIn("berta", device)
            let next = Task { await code { _ = try await device.exportData() } }
            try await eventually { transport.asked.withLock { $0.count { $0.url.path.hasSuffix("v1/exports") } } == 2 }
            #expect(await next.value != nil, "the answer to its own request")
            gate.open()
            #expect(await code { _ = try await late.value } != nil)
        }
    }

    @Test("SE-3 run() does not hurry a server that issues sessions without a lifetime")
    func noLifetime() async throws {
        try await World.with { world in
            let renewals = Guarded(0)
            let provider = CustomProvider(
                "brief",
                renewing: { session, _ async throws(ProviderFailure) in
                    let count = renewals.withLock { count in
                        count += 1
                        return count
                    }
                    var next = session
                    next.accessToken = Token("next \(count)")
                    (next.lifetime, next.expiresAt) = (0, world.time.serverNow)
                    return ProviderAnswer(next, serverTime: world.time.serverNow)
                }, signingOut: { _, _ async throws(ProviderFailure) in },
                requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            world.time.pass(.seconds(3_600))
            let before = world.time.elapsed
            let work = Task { await device.run() }
            try await eventually { renewals.withLock { $0 } >= 8 }
            work.cancel()
            await work.value
            #expect(world.time.elapsed - before > .seconds(10), "one pause after each, longer each time")
        }
    }
}
