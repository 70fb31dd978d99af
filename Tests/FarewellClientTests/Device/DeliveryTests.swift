// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// Where the system sends the messages, an answer may not come before the network is back.
@Suite("Messages to the server whose answer does not come")
struct DeliveryTests {
    private static func message(_ ticket: String) -> Outbox.Entry {
        Outbox.Entry(
            id: ticket, provider: "farewell", revocation: SessionRevocation(ticket: Token(ticket), scope: .local))
    }

    @Test("APP-05 SE-5 a message without an answer does not delay the reading of tokens that were locked at the launch")
    func lockedTokens() async throws {
        try await World.with { world in
            let store = LockableStore()
            let (device, session) = try await world.signedIn("anna", world.device(store: store))
            try await eventually { await device.upkeep == nil }
            try await device.outbox.put(Self.message("held"))
            let provider = HeldDelivery(network: world.network, gate: Gate(), held: ["held"])
            store.isLocked.withLock { $0 = true }
            let next = try world.device(provider, store: store)
            #expect(await next.launch().help == .wait)
            try await provider.gate.arrived()
            store.isLocked.withLock { $0 = false }
            try await eventually {
                world.time.endedPauses()
                return await next.standing == .signedIn(session)
            }
            provider.gate.open()
            try await eventually { try await next.outbox.entries.isEmpty }
            #expect(provider.sent.all == ["held"], "no attempt has repeated what was on its way")
        }
    }

    @Test("APP-05 C6 a message without an answer does not delay a deletion whose own answer was lost")
    func lostDeletion() async throws {
        try await World.with { world in
            let provider = HeldDelivery(network: world.network, gate: Gate(), held: ["held"])
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            try await device.outbox.put(Self.message("held"))
            world.weather.withLock { $0 = .deaf }
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            world.weather.withLock { $0 = .fine }
            try await eventually {
                world.time.endedPauses()
                return await device.standing == .signedOut(.accountDeleted)
            }
            provider.gate.open()
        }
    }

    @Test("SO-7 a message without an answer holds up neither the other messages nor the result of the next sign-out")
    func others() async throws {
        try await World.with { world in
            let provider = HeldDelivery(network: world.network, gate: Gate(), held: ["held"])
            let (device, session) = try await world.signedIn("anna", world.device(provider))
            for ticket in ["held", "one", "two"] { try await device.outbox.put(Self.message(ticket)) }
            let first = Task { await device.deliver() }
            try await eventually { try await device.outbox.entries.map(\.id) == ["held"] }
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .told)
            #expect(!world.backend.isLive(session))
            let second = Task { await device.deliver() }
            provider.gate.open()
            #expect(await first.value)
            #expect(await second.value)
            #expect(try await device.outbox.entries.isEmpty)
            #expect(provider.sent.all.count { $0 == "held" } == 1, "and it was sent once")
        }
    }

    @Test("SO-7 a bounded number of messages is on its way at a time, and all of them arrive")
    func bounded() async throws {
        try await World.with { world in
            // Answers that come at once wait for each other at the outbox, however slow the disk is.
            world.time.standsStill.withLock { $0 = true }
            let tickets = (0..<3 * DeliveryTurns.most).map { "ticket \($0)" }
            let provider = HeldDelivery(network: world.network, gate: Gate(), held: Set(tickets))
            let device = try world.device(provider)
            for ticket in tickets { try await device.outbox.put(Self.message(ticket)) }
            let work = Task { await device.deliver() }
            try await eventually { provider.sent.all.count == DeliveryTurns.most }
            for _ in 0..<200 { await Task.yield() }
            #expect(provider.sent.all.count == DeliveryTurns.most)
            provider.gate.open()
            #expect(await work.value)
            #expect(Set(provider.sent.all) == Set(tickets) && provider.sent.all.count == tickets.count)
        }
    }

    @Test("SO-7 an answer that comes after its caller and its device are gone empties the outbox")
    func settled() async throws {
        try await World.with { world in
            let provider = HeldDelivery(network: world.network, gate: Gate(), held: ["ticket-session-1"])
            var device: FarewellDevice? = try await world.signedIn("anna", world.device(provider)).0
            let result = try await device?.signOut(timeout: .zero)
            #expect(result?.server == .pending)
            try await provider.gate.arrived()
            weak let seen = device
            device = nil
            try await eventually { seen == nil }
            provider.gate.open()
            let outbox = try Outbox(in: world.folder, world.time.environment())
            try await eventually { try outbox.entries.isEmpty }
        }
    }

    @Test("SE-5 a sign-in that cannot be kept fails before the server has answered that its session is over")
    func refusedSignIn() async throws {
        try await World.with { world in
            let store = LockableStore()
            let provider = HeldDelivery(network: world.network, gate: Gate(), held: ["ticket-session-1"])
            let device = try world.device(provider, store: store)
            await device.launch()
            store.refusesWrites.withLock { $0 = true }
            let refused = world.backend.signIn("anna")
            let thrown = Guarded<String?>(nil)
            Task {
                let error = await code { try await device.signIn { () async throws(ProviderFailure) in refused } }
                thrown.withLock { $0 = error }
            }
            try await provider.gate.arrived()
            try await eventually {
                world.time.endedPauses()
                return thrown.withLock { $0 } == "test.locked"
            }
            provider.gate.open()
            try await eventually { !world.backend.isLive(refused.value) }
        }
    }
}
