// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// The app and its extension share a folder, and a user can delete the account in each.
@Suite("Processes that delete one account")
struct DeletionClaimTests {
    /// A backend that notes the key of each request; the request waits at the gate before it arrives.
    private func provider(_ world: World, _ keys: Diary, _ gate: Gate? = nil) -> CustomProvider {
        let network = world.network
        return CustomProvider(
            "farewell",
            renewing: { session, nonce async throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
            signingOut: { _, _ async throws(ProviderFailure) in },
            requestingDeletion: { session, intent async throws(ProviderFailure) in
                keys.note(intent.key)
                await gate?.pass()
                return try await network.requestDeletion(of: session, intent)
            },
            tellingDeletion: { intent async throws(ProviderFailure) in try await network.deletionStatus(intent) })
    }

    @Test("C2 C10 of two processes that delete the account at once, one sends the request, and neither sends a second key")
    func together() async throws {
        try await World.with { world in
            let (keys, gate) = (Diary(), Gate())
            let (app, _) = try await world.signedIn("anna", world.device(provider(world, keys, gate)))
            let widget = try world.device(provider(world, keys))
            await widget.launch()
            // The claim does not end meanwhile.
            world.time.standsStill.withLock { $0 = true }
            let first = Task { try await app.deleteAccount() }
            try await gate.arrived()
            let second = Task { try? await widget.deleteAccount() }
            for _ in 0..<200 { await Task.yield() }
            #expect(keys.all.count == 1)
            gate.open()
            #expect(try await first.value.isDone)
            _ = await second.value
            #expect(keys.all.count == 1)
            #expect(await widget.standing.session == nil)
            #expect(try await app.journal.read() == nil)
            #expect(!world.backend.hasAccount("anna") && !world.isThere(world.database))
        }
    }

    @Test("C2 C10 a process that starts while another one requests the deletion sends no request of its own")
    func duringLaunch() async throws {
        try await World.with { world in
            let (keys, gate) = (Diary(), Gate())
            let (app, _) = try await world.signedIn("anna", world.device(provider(world, keys, gate)))
            world.time.standsStill.withLock { $0 = true }
            let deletion = Task { try await app.deleteAccount() }
            try await gate.arrived()
            let next = try world.device(provider(world, keys))
            let launch = Task { await next.launch() }
            for _ in 0..<200 { await Task.yield() }
            #expect(await next.standing.help == .wait && keys.all.count == 1)
            gate.open()
            #expect(try await deletion.value.isDone)
            #expect(await launch.value.session == nil)
            #expect(keys.all.count == 1)
            #expect(try await next.journal.read() == nil)
        }
    }

    @Test("AD-6 CF-2 where another process keeps the claim, an accepted deletion is no failure: the device is cleared once it is free")
    func busy() async throws {
        try await World.with { world in
            let lock = Guarded<Int32>(-1)
            let path = world.path + "/state/journal.lock"
            let keeping: DepartureObserver = { step in
                guard step == .deletion(.accepted) else { return }
                lock.withLock { descriptor in
                    descriptor = open(path, O_RDWR)
                    flock(descriptor, LOCK_EX)
                }
            }
            let (device, _) = try await world.signedIn("anna", world.device(observe: keeping))
            let result = try await device.deleteAccount()
            #expect(result.isDone && result.problems.map(\.code) == ["device.busy"] && !result.isDeviceClean)
            #expect(await device.standing == .signedOut(.accountDeleted))
            #expect(world.isThere(world.images) && world.isThere(world.database))
            lock.withLock { descriptor in _ = close(descriptor) }
            try await eventually {
                world.time.endedPauses()
                return try await device.journal.read() == nil
            }
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
            #expect(await device.standing == .signedOut(.accountDeleted))
        }
    }

    @Test("C2 C10 a request that a killed process has recorded is sent by the next process under the same key")
    func sameKey() async throws {
        try await World.with { world in
            let keys = Diary()
            let (device, session) = try await world.signedIn("anna", world.device(provider(world, keys)))
            try await device.journal.write(
                Departure(
                    id: "one", sessionID: session.id, reason: .accountDeleted,
                    course: .deletion(.intended, DeletionIntent(key: "key", ticket: Token("ticket")))))
            #expect(try await device.deleteAccount().isDone)
            #expect(keys.all == ["key"])
            #expect(try await device.journal.read() == nil)
        }
    }

    @Test("C2 C10 while a process clears the device after its deletion, another one waits, and requests nothing")
    func accepted() async throws {
        try await World.with { world in
            let keys = Diary()
            let (parked, asked, goOn) = (Gate(), Gate(), Gate())
            let (app, _) = try await world.signedIn(
                "anna",
                world.device(provider(world, keys), observe: parked.holding(at: .deletion(.subscriptionsLeft), until: goOn)))
            let widget = try world.device(provider(world, keys))
            await widget.launch()
            world.time.standsStill.withLock { $0 = true }
            let first = Task { try await app.deleteAccount() }
            try await parked.opened()
            let second = Task { try await widget.deleteAccount { _ in asked.open() } }
            try await asked.opened()
            goOn.open()
            #expect(try await first.value.isDone)
            #expect(try await second.value.isDone)
            #expect(keys.all.count == 1)
            #expect(try await widget.journal.read() == nil)
            #expect(!world.isThere(world.database))
        }
    }

    @Test("C2 C6 a running app finishes the deletion of a killed process, at any recorded state, once its session is over")
    func killedBesides() async throws {
        for state in [DeletionState.intended, .accepted, .subscriptionsLeft] {
            try await World.with { world in
                let (app, session) = try await world.signedIn()
                let intent = DeletionIntent(key: "key", ticket: Token("ticket"))
                _ = try world.backend.delete(session, intent)
                try await app.journal.write(
                    Departure(
                        id: "one", sessionID: session.id, reason: .accountDeleted, course: .deletion(state, intent)))
                world.time.pass(.seconds(3_601))
                #expect(await code { _ = try await app.session } == "device.signed-out")
                #expect(await app.standing == .signedOut(.accountDeleted), "\(state)")
                #expect(!world.isThere(world.images) && !world.isThere(world.database), "\(state)")
                #expect(try await app.journal.read() == nil)
            }
        }
    }

    @Test("SO-14 a deletion does not replace another process's unfinished sign-out, and finishes it")
    func signedOut() async throws {
        try await World.with { world in
            let keys = Diary()
            let (device, session) = try await world.signedIn("anna", world.device(provider(world, keys)))
            try await device.journal.write(
                Departure(id: "one", sessionID: session.id, reason: .byYou, course: .signOut(.intended, wipes: .signOut, nil)))
            #expect(await code { _ = try await device.deleteAccount() } == "device.signed-out")
            #expect(keys.all.isEmpty && !world.isThere(world.images))
            #expect(await device.standing == .signedOut(.byYou))
            #expect(try await device.journal.read() == nil)
        }
    }

    @Test("SO-14 the late refusal of a former user's deletion leaves the sign-out of the next user in the journal")
    func lateRefusal() async throws {
        try await World.with { world in
            let gate = Gate()
            let refused = FarewellError("test.500", .ours, "500")
            let provider = CustomProvider(
                "farewell", renewing: { session, _ async throws(ProviderFailure) in ProviderAnswer(session) },
                signingOut: { _, _ async throws(ProviderFailure) in },
                requestingDeletion: { _, _ async throws(ProviderFailure) in
                    await gate.pass()
                    throw .refused(refused)
                })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            let deletion = Task { await code { _ = try await device.deleteAccount() } }
            try await gate.arrived()
            // Another process has signed Berta in, and was killed while it signed her out.
            let next = Departure(
                id: "next", sessionID: "of Berta", reason: .byYou, course: .signOut(.intended, wipes: .signOut, nil))
            try await device.journal.write(next)
            gate.open()
            #expect(await deletion.value == "test.500")
            #expect(try await device.journal.read() == next)
        }
    }
}
