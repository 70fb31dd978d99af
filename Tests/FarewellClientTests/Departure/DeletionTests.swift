// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Deleting the account from a device")
struct DeletionTests {
    @Test(
        "CF-1 sign-out tells the server first, then clears subscriptions, tokens, memory and data, and last reports the signed-out state")
    func order() async throws {
        try await World.with { world in
            let diary = Diary()
            let backend = world.backend
            let device = try world.device(
                participants: [
                    NotingParticipant(name: "database", diary: diary, clears: .onDeletion),
                    NotingParticipant(name: "messages", diary: diary, place: .memory),
                ], subscriptions: NotingSubscriptions(diary: diary),
                observe: { step in
                    if case .deletion(let state) = step {
                        diary.note("\(state)" + (backend.hasAccount("anna") ? ", account lives" : ""))
                    }
                })
            let (_, _) = try await world.signedIn("anna", device)
            var events = device.events.makeAsyncIterator()
            _ = await events.next()
            let result = try await device.deleteAccount()
            diary.note("returned")
            #expect(result.isDone && result.device.isClean && result.problems.isEmpty)
            // The purge clears the memory once more, beside the database.
            let purge = diary.all[6...7]
            #expect(Set(purge) == ["database", "messages"])
            #expect(
                diary.all.prefix(6) == [
                    "intended, account lives", "accepted", "subscriptions", "subscriptionsLeft", "messages", "tokensCleared",
                ])
            #expect(diary.all.dropFirst(8) == ["done", "returned"])
            #expect(await events.next() == .userDeleted)
            #expect(await device.standing == .signedOut(.accountDeleted))
        }
    }

    @Test("AD-7 CF-3 CF-4 after a deletion the scan finds nothing, and the next launch is a new device's")
    func clean() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            let result = try await device.deleteAccount()
            #expect(result.device.lines.allSatisfy { $0.outcome == .cleared } && result.device.lines.count == 3)
            for path in [world.images, world.database, world.database + "-wal", world.database + "-shm"] {
                #expect(!world.isThere(path))
            }
            #expect(!world.backend.hasAccount("anna") && !world.backend.isLive(session))
            #expect(try await world.device().launch() == .signedOut(nil))
            for file in ["session", "session.stored", "claim", "deletion.claim", "journal", "outbox", "person"] {
                #expect(!world.isThere(world.path + "/state/" + file), "\(file)")
            }
        }
    }

    @Test(
        "AD-6 CF-2 a deletion that the server refuses or never gets leaves everything unchanged",
        arguments: [
            ProviderFailure.refused(FarewellError("test.500", .ours, "500")),
            .forbidden(FarewellError("test.403", .yoursToFix, "403")), .recentSignInNeeded, Network.offline,
        ])
    func refused(_ failure: ProviderFailure) async throws {
        try await World.with { world in
            let network = world.network
            let provider = CustomProvider(
                "farewell", renewing: { session, nonce throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ throws(ProviderFailure) in },
                requestingDeletion: { _, _ throws(ProviderFailure) in throw failure },
                tellingDeletion: { intent throws(ProviderFailure) in try await network.deletionStatus(intent) })
            let (device, session) = try await world.signedIn("anna", world.device(provider))
            let before = try Data(contentsOf: URL(fileURLWithPath: world.path + "/state/session"))
            let gate = Gate()
            let call = Task {
                try await device.perform { _ in
                    await gate.pass()
                    return "the app's own call"
                }
            }
            try await gate.arrived()
            #expect(await code { _ = try await device.deleteAccount() } == failure.error.code.rawValue)
            #expect(world.time.logged.withLock { $0 }.contains(failure.error), "CF-5 told to the log")
            gate.open()
            #expect(try await call.value == "the app's own call", "AD-9 calls end with a deletion that succeeds, and with no other")
            #expect(await device.standing == .signedIn(session))
            #expect(world.isThere(world.images) && world.isThere(world.database) && world.memory.withLock { $0 } == 3)
            #expect(try Data(contentsOf: URL(fileURLWithPath: world.path + "/state/session")) == before)
            #expect(try await device.journal.read() == nil)
            #expect(try await world.device().launch() == .signedIn(session))
        }
    }

    @Test("C4: an offline deletion is not reported as done; the user stays signed in, and may try again under the same key")
    func offline() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            world.weather.withLock { $0 = .down }
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            #expect(await device.standing == .signedIn(session))
            #expect(world.isThere(world.database))
            guard case .deletion(.unanswered, let first)? = try await device.journal.read()?.course else { throw Odd("journal") }
            world.weather.withLock { $0 = .fine }
            _ = try await device.deleteAccount()
            #expect(world.backend.state.withLock { $0.deletionRequests } == [first.key])
        }
    }

    @Test("C4: the client does not secretly carry out a request that it reported to the user as failed")
    func forgotten() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            world.weather.withLock { $0 = .down }
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            world.weather.withLock { $0 = .fine }
            let next = try world.device()
            #expect(await next.launch() == .signedIn(session))
            #expect(world.backend.hasAccount("anna") && world.backend.state.withLock { $0.deletionRequests }.isEmpty)
            #expect(try await next.journal.read() == nil)
        }
    }

    @Test("C6 SV-9: when the answer is lost after the account is gone, the ticket finds the result, and it is never called a failure")
    func lostAnswer() async throws {
        try await World.with { world in
            let network = world.network
            let first = Guarded(true)
            let provider = CustomProvider(
                "farewell", renewing: { session, nonce throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ throws(ProviderFailure) in },
                requestingDeletion: { session, intent throws(ProviderFailure) in
                    _ = try await network.requestDeletion(of: session, intent)
                    first.withLock { $0 = false }
                    throw Network.offline
                },
                tellingDeletion: { intent throws(ProviderFailure) in try await network.deletionStatus(intent) })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            let result = try await device.deleteAccount()
            #expect(result.isDone && result.device.isClean && !first.withLock { $0 })
            #expect(!world.isThere(world.database))
        }
    }

    @Test("C6 C1: a deletion whose answer is lost while the network is down finishes once the network is back, with or without a launch")
    func lostForLonger() async throws {
        for isLaunched in [true, false] {
            try await World.with { world in
                let (device, _) = try await world.signedIn()
                world.weather.withLock { $0 = .deaf }
                #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
                #expect(!world.backend.hasAccount("anna") && world.isThere(world.database))
                world.weather.withLock { $0 = .fine }
                if isLaunched {
                    let next = try world.device()
                    #expect(await next.launch() == .signedOut(.accountDeleted))
                } else {
                    var events = device.events.makeAsyncIterator()
                    _ = await events.next()
                    let work = Task { await device.run() }
                    #expect(await events.next() == .userDeleted)
                    work.cancel()
                    await work.value
                }
                #expect(!world.isThere(world.database) && !world.isThere(world.images))
            }
        }
    }

    @Test("C7: an access token that expires midway is renewed once, and the same request is sent again")
    func expiredInTheMiddle() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            world.time.deviceError.withLock { $0 = -9_999 }
            // The server's clock is ahead of what this device believes.
            world.backend.state.withLock { state in
                for id in state.live.keys { state.live[id]?.expiresAt = VirtualTime.start }
            }
            let result = try await device.deleteAccount()
            #expect(result.isDone && world.backend.renewals == 1)
            #expect(world.backend.state.withLock { $0.deletionRequests }.count == 1)
        }
    }

    @Test("C7: a renewal refused during a running deletion does not fail the deletion")
    func refusedBecauseDeleted() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            world.weather.withLock { $0 = .deaf }
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            world.weather.withLock { $0 = .fine }
            let result = try await device.deleteAccount()
            #expect(result.isDone && !world.isThere(world.database))
            #expect(await device.standing == .signedOut(.accountDeleted))
        }
    }

    @Test("C2 C1: after a crash at any recorded state, the next launch completes the deletion under the same key")
    func interrupted() async throws {
        for last in DeletionState.allCases where last != .unanswered && last != .refused {
            try await World.with { world in
                let parked = Gate()
                let store = LockableStore()
                let (device, _) = try await world.signedIn(
                    "anna", world.device(store: store, observe: parked.stopping(at: .deletion(last))))
                store.refusesWrites.withLock { $0 = last == .tokensStuck || last == .unclean }
                let work = Task { try await device.deleteAccount() }
                try await parked.opened()
                store.refusesWrites.withLock { $0 = false }
                let crashed = try world.crashed()
                let next = try world.device(in: crashed, store: store)
                #expect(await next.launch() == .signedOut(.accountDeleted), "\(last)")
                #expect(!world.backend.hasAccount("anna"), "\(last)")
                #expect(world.backend.state.withLock { Set($0.deletionRequests).count } == 1, "\(last)")
                #expect(!world.isThere(world.database) && !world.isThere(world.images), "\(last)")
                #expect(try await next.journal.read() == nil)
                #expect(
                    try await FarewellDevice(
                        world.network, in: crashed, store: store, environment: world.time.environment()
                    ).launch() == .signedOut(nil))
                work.cancel()
            }
        }
    }

    @Test("C1: after a kill before the answer, an offline launch shows neither the user's data nor the sign-in")
    func pending() async throws {
        try await World.with { world in
            let parked = Gate()
            let (device, _) = try await world.signedIn(
                "anna", world.device(observe: parked.stopping(at: .deletion(.intended))))
            let work = Task { try await device.deleteAccount() }
            await parked.pass()
            let crashed = try world.crashed()
            world.weather.withLock { $0 = .down }
            let next = try world.device(in: crashed)
            guard case .unknown(let error) = await next.launch() else { throw Odd("something is shown") }
            #expect(error.code == "device.deletion-pending")
            world.weather.withLock { $0 = .fine }
            #expect(await next.launch() == .signedOut(.accountDeleted))
            work.cancel()
        }
    }

    @Test("CF-2 a failing subscription service and a stuck store do not stop a deletion; the next launch finishes the remaining work")
    func stuck() async throws {
        try await World.with { world in
            let store = LockableStore()
            let diary = Diary()
            let (device, _) = try await world.signedIn(
                "anna", world.device(store: store, subscriptions: NotingSubscriptions(diary: diary, fails: true)))
            store.refusesWrites.withLock { $0 = true }
            let result = try await device.deleteAccount()
            #expect(result.isDone && result.device.isClean && result.problems.count == 1)
            #expect(world.time.logged.withLock { $0 }.contains { $0.code == "test.subscriptions" })
            #expect(await code { _ = try await device.session } == "device.signed-out")
            #expect(try await world.device(store: store).launch() == .signedOut(.accountDeleted))
            store.refusesWrites.withLock { $0 = false }
            let next = try world.device(store: store)
            #expect(await next.launch() == .signedOut(.accountDeleted))
            #expect(try await next.journal.read() == nil)
            guard case .absent = store.read() else { throw Odd("something is left") }
            #expect(diary.all == ["subscriptions"])
        }
    }

    @Test("CF-1 a subscription service that never answers causes no delay")
    func silentSubscriptions() async throws {
        try await World.with { world in
            let gate = Gate()
            let (device, _) = try await world.signedIn("anna", world.device(subscriptions: SilentSubscriptions(gate: gate)))
            let result = try await device.deleteAccount()
            #expect(result.isDone && result.device.isClean && !world.isThere(world.database))
            #expect(world.time.logged.withLock { $0 }.map(\.code) == ["device.subscriptions"])
            gate.open()
        }
    }

    @Test("AD-9 a deletion has its own state, runs once however often the user requests it, and ends the app's calls")
    func once() async throws {
        try await World.with { world in
            let gate = Gate()
            let ends = Guarded<@Sendable () -> Void>({})
            let (device, _) = try await world.signedIn(
                "anna",
                world.device(
                    GatedProvider(network: world.network, gate: gate),
                    subscriptions: EndingSubscriptions { ends.withLock { $0() } }))
            #expect(await !device.isDeletingAccount)
            let stream = Task {
                try await device.perform { _ in await untilCancelled() }
            }
            let (statuses, status) = AsyncStream.makeStream(of: String.self)
            status.yield("active")
            ends.withLock { $0 = { status.finish() } }
            let deletions = (0..<5).map { _ in Task { try await device.deleteAccount() } }
            try await gate.arrived()
            #expect(await device.isDeletingAccount)
            gate.open()
            for deletion in deletions { #expect(try await deletion.value.isDone) }
            #expect(world.backend.state.withLock { $0.deletionRequests }.count == 1)
            #expect(await code { try await stream.value } == "device.signed-out")
            var seen: [String] = []
            for await status in statuses { seen.append(status) }
            #expect(seen == ["active"], "and it has come to its end")
            #expect(await !device.isDeletingAccount)
        }
    }

    @Test("C14: a user who signs in while the previous user's deletion still runs keeps all of their own data")
    func accountSwitch() async throws {
        try await World.with { world in
            let gate = Gate()
            let (device, anna) = try await world.signedIn("anna", world.device(GatedProvider(network: world.network, gate: gate)))
            let deletion = Task { try await device.deleteAccount() }
            try await gate.arrived()
            let (other, berta) = try await world.signedIn("berta", try world.device())
            gate.open()
            #expect(try await deletion.value.isDone)
            #expect(!world.backend.hasAccount("anna") && !world.backend.isLive(anna))
            #expect(try await other.session == berta)
            #expect(try await device.session == berta)
            #expect(world.isThere(world.images) && world.isThere(world.database))
            _ = try await other.signOut(timeout: .zero)
            #expect(world.isThere(world.database), "kept for Berta")
            _ = try await world.signedIn("carl", other)
            #expect(try await other.journal.read() == nil)
        }
    }

    @Test("the client reports progress while the server works, and the time-out ends the wait, not the deletion")
    func progress() async throws {
        try await World.with { world in
            let network = world.network
            let states = Guarded(["fenced", "running", "verifying"])
            let provider = CustomProvider(
                "farewell", renewing: { session, nonce throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ throws(ProviderFailure) in },
                requestingDeletion: { _, _ throws(ProviderFailure) in .underway(DeletionProgress(id: "e", state: "requested")) },
                tellingDeletion: { intent throws(ProviderFailure) in
                    guard intent.serverID == "e" else { return .unknown }
                    let state = states.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                    return .underway(DeletionProgress(id: "e", state: state))
                })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            let told = Guarded<[String]>([])
            let result = try await device.deleteAccount(timeout: .seconds(30)) { progress in
                told.withLock { if $0.last != progress.state { $0.append(progress.state) } }
            }
            #expect(told.withLock { $0 } == ["requested", "fenced", "running", "verifying"])
            #expect(!result.isDone && result.server.state == "verifying" && result.device.isClean)
        }
    }

    @Test("the client does not wait for a backend without a status: it clears the device, and reports nothing as done")
    func accepted() async throws {
        try await World.with { world in
            let network = world.network
            let asked = Guarded(0)
            let provider = CustomProvider(
                "backend", renewing: { session, nonce throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ throws(ProviderFailure) in },
                requestingDeletion: { _, _ throws(ProviderFailure) in .underway(DeletionProgress(state: "accepted")) },
                tellingDeletion: { intent throws(ProviderFailure) in
                    asked.withLock { $0 += 1 }
                    return try await CustomProvider.cannotTell(intent)
                })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            let result = try await device.deleteAccount(timeout: .seconds(30))
            #expect(!result.isDone && result.server.state == "accepted" && result.device.isClean)
            #expect(asked.withLock { $0 } == 1)
        }
    }
}
