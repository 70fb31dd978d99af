// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Signing out of a session whose tokens have expired or whose end has come already")
struct EndedSignOutTests {
    @Test("SO-7 SO-14 without a ticket, an expired access token is renewed once so that the server ends the session")
    func expired() async throws {
        try await World.with { world in
            var network = world.network
            network.hasTickets = false
            let (device, session) = try await world.signedIn("anna", world.device(network))
            world.time.pass(.seconds(7_200))
            #expect(!world.backend.isAccepted(session) && world.backend.isLive(session))
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .told)
            #expect(!world.backend.isLive(session) && world.backend.renewals == 1 && world.backend.alarms == 0)
            #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images))
            #expect(try await world.device(network).launch() == .signedOut(.byYou), "the new tokens are not kept")
        }
    }

    @Test("SO-7 a session that the server has ended already counts as ended, and not as its user's other sessions")
    func over() async throws {
        for (scope, server) in [(SignOutScope.local, SignOutResult.Server.told), (.global, .unconfirmed)] {
            try await World.with { world in
                var network = world.network
                network.hasTickets = false
                let (device, session) = try await world.signedIn("anna", world.device(network))
                world.backend.end(session.id, .elsewhere)
                #expect(try await device.signOut(scope, timeout: .seconds(3_600)).server == server)
                #expect(await device.standing == .signedOut(.byYou))
            }
        }
    }

    @Test("SO-14 SO-7 without tickets, a launch tells the server of a sign-out that was killed before the server heard of it")
    func killedWithoutTicket() async throws {
        try await World.with { world in
            var network = world.network
            network.hasTickets = false
            let (device, session) = try await world.signedIn("anna", world.device(network))
            try await device.journal.write(
                Departure(id: "one", sessionID: session.id, reason: .byYou, course: .signOut(.queued, wipes: .signOut, nil)))
            #expect(try await world.device(network).launch() == .signedOut(.byYou))
            try await eventually { !world.backend.isLive(session) }
        }
    }

    @Test("SO-7 SO-8 without tickets, the server learns of a sign-out while the tokens were locked once they can be read")
    func lockedWithoutTicket() async throws {
        try await World.with { world in
            var network = world.network
            network.hasTickets = false
            let store = LockableStore()
            let (_, session) = try await world.signedIn("anna", world.device(network, store: store))
            store.isLocked.withLock { $0 = true }
            let device = try world.device(network, store: store)
            await device.launch()
            #expect(try await device.signOut(timeout: .zero).server == .unconfirmed)
            store.isLocked.withLock { $0 = false }
            #expect(try await world.device(network, store: store).launch() == .signedOut(.byYou))
            try await eventually { !world.backend.isLive(session) }
        }
    }

    @Test("SO-5 SO-14 without tickets, a launch completes a killed sign-out of every session in the same scope")
    func killedGlobalWithoutTicket() async throws {
        for scope in [SignOutScope.local, .global] {
            try await World.with { world in
                var network = world.network
                network.hasTickets = false
                let (device, session) = try await world.signedIn("anna", world.device(network))
                let other = world.backend.signIn("anna").value
                try await device.journal.write(
                    Departure(
                        id: "one", sessionID: session.id, reason: .byYou, scope: scope,
                        course: .signOut(.queued, wipes: .signOut, nil)))
                #expect(try await world.device(network).launch() == .signedOut(.byYou))
                try await eventually { !world.backend.isLive(session) && world.backend.isLive(other) == (scope == .local) }
            }
        }
    }

    @Test("SO-5 SO-7 SO-8 every session ends, as asked while the tokens were locked, once they can be read", arguments: [true, false])
    func lockedGlobal(hasTickets: Bool) async throws {
        try await World.with { world in
            var network = world.network
            network.hasTickets = hasTickets
            let store = LockableStore()
            let (_, session) = try await world.signedIn("anna", world.device(network, store: store))
            let other = world.backend.signIn("anna").value
            store.isLocked.withLock { $0 = true }
            let device = try world.device(network, store: store)
            await device.launch()
            #expect(try await device.signOut(.global, timeout: .zero).server == .unconfirmed)
            store.isLocked.withLock { $0 = false }
            // A device that is gone begins no delivery.
            let next = try world.device(network, store: store)
            #expect(await next.launch() == .signedOut(.byYou))
            try await eventually { !world.backend.isLive(session) && !world.backend.isLive(other) }
            #expect(await next.standing == .signedOut(.byYou))
        }
    }

    @Test("SO-5 the journal keeps the scope of a sign-out; one that an earlier version has written without it ends one session")
    func scopeInJournal() throws {
        let ticket = SessionRevocation(ticket: Token("ticket"), scope: .global)
        for order in [nil, ticket] {
            let departure = Departure(
                id: "one", sessionID: "s", reason: .byYou, scope: .global, course: .signOut(.queued, wipes: .signOut, order))
            #expect(try Departure(decoding: departure.encoded()) == departure)
        }
        let former = #"{"id":"one","sessionID":"s","reason":"by-you","signOut":"queued","wipes":"signOut"}"#
        let read = try Departure(decoding: Data(former.utf8))
        #expect(read.scope == .local && read.course == .signOut(.queued, wipes: .signOut, nil))
    }

    @Test("SO-7 an SDK is not asked for new tokens after its user has signed out")
    func kit() async throws {
        try await World.with { world in
            let diary = Diary()
            let provider = CustomProvider(
                "kit",
                renewing: { session, _ async throws(ProviderFailure) in
                    diary.note("renewed")
                    return ProviderAnswer(session)
                },
                signingOut: { _, _ async throws(ProviderFailure) in
                    diary.note("signed out")
                    throw .unauthorised(FarewellError("test.401", .yoursToFix, "401"))
                }, requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .unconfirmed)
            #expect(diary.all == ["signed out"])
        }
    }

    @Test("SO-7 a provider that keeps users signed in keeps none whose session is over: signing out reports no error")
    func keepsNone() async throws {
        for (scope, server) in [(SignOutScope.local, SignOutResult.Server.told), (.global, .unconfirmed)] {
            try await World.with { world in
                var network = world.network
                network.policy = .keepSignedIn
                let (device, session) = try await world.signedIn("anna", world.device(network))
                world.backend.end(session.id, .elsewhere)
                #expect(try await device.signOut(scope).server == server)
                #expect(await device.standing == .signedOut(.elsewhere) && !world.isThere(world.images))
            }
        }
    }

    @Test("SO-7 the same when the answer to the sign-out itself says that the session is over")
    func saysSo() async throws {
        try await World.with { world in
            let provider = CustomProvider(
                "backend", policy: .keepSignedIn,
                renewing: { session, _ async throws(ProviderFailure) in ProviderAnswer(session) },
                signingOut: { _, _ async throws(ProviderFailure) in throw .ended(.accountDeleted) },
                requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
            let (device, session) = try await world.signedIn("anna", world.device(provider))
            #expect(await code { _ = try await device.signOut(.others) } == "device.signed-out")
            #expect(await device.standing == .signedIn(session))
            #expect(try await device.signOut().server == .told)
            #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images))
        }
    }

    /// The state folder of a process that ended after the server had carried out its sign-out, and before the answer
    /// came.
    private func killedWhileAsking(_ world: World) async throws -> (folder: StateFolder, session: DeviceSession) {
        let (network, gate) = (world.network, Gate())
        let provider = CustomProvider(
            "farewell", policy: .keepSignedIn,
            renewing: { session, nonce async throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
            signingOut: { session, scope async throws(ProviderFailure) in
                try await network.signOut(session, scope: scope)
                await gate.pass()
            }, requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
        let (device, session) = try await world.signedIn("anna", world.device(provider))
        // The process never continues; its files are what a kill leaves.
        Task { try await device.signOut() }
        try await gate.arrived()
        let copy = world.path + "/killed"
        try FileManager.default.copyItem(atPath: world.path + "/state", toPath: copy)
        return (try StateFolder(copy), session)
    }

    private func next(_ world: World, _ folder: StateFolder) throws -> FarewellDevice {
        var network = world.network
        network.policy = .keepSignedIn
        return try FarewellDevice(
            network, in: folder, store: FileTokenStore(in: folder), participants: world.participants,
            environment: world.time.environment())
    }

    @Test("SO-14 SO-7 killed while the server is asked first: the next launch asks again and signs out, and shows no user before")
    func killed() async throws {
        try await World.with { world in
            let (folder, session) = try await killedWhileAsking(world)
            #expect(!world.backend.isLive(session) && world.isThere(world.images))
            let device = try next(world, folder)
            let seen = Guarded<[SessionEvent]>([])
            let following = Task { for await event in device.events { seen.withLock { $0.append(event) } } }
            try await eventually { seen.withLock { !$0.isEmpty } }
            #expect(await device.launch() == .signedOut(.byYou))
            #expect(!world.isThere(world.images) && world.memory.withLock { $0 } == 0)
            #expect(await device.asked.request == nil)
            #expect(try await device.journal.read() == nil)
            try await eventually { seen.withLock { $0.last == .initial(.signedOut(.byYou)) } }
            #expect(seen.withLock { $0.count } == 2, "the first says that nothing is known")
            #expect(try await next(world, folder).launch() == .signedOut(.byYou))
            following.cancel()
        }
    }

    @Test("SO-7 SE-5 killed while the server is asked first, and the server cannot be reached: the user stays signed in")
    func killedOffline() async throws {
        try await World.with { world in
            let (folder, session) = try await killedWhileAsking(world)
            world.weather.withLock { $0 = .down }
            let device = try next(world, folder)
            #expect(await device.launch() == .signedIn(session))
            #expect(await device.asked.request == nil && world.isThere(world.images))
        }
    }

    @Test("SO-14 SO-7 a process whose sign-out failed leaves the record of another process that still waits for its answer")
    func otherAsks() async throws {
        try await World.with { world in
            let gate = Gate()
            let provider = CustomProvider(
                "backend", policy: .keepSignedIn,
                renewing: { session, _ async throws(ProviderFailure) in ProviderAnswer(session) },
                signingOut: { _, _ async throws(ProviderFailure) in
                    await gate.pass()
                    throw Network.offline
                }, requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
            let (device, session) = try await world.signedIn("anna", world.device(provider))
            let work = Task { await code { try await device.signOut() } }
            try await gate.arrived()
            #expect(await device.asked.request?.process == ProcessNumber.own)
            try await device.asked.write(.init(sessionID: session.id, scope: .local, process: 1))
            gate.open()
            #expect(await work.value == "device.offline")
            #expect(await device.asked.request?.process == 1)
        }
    }

    @Test("SO-14 a launch repeats no sign-out of another session, and none whose process still waits for the answer")
    func others() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn("anna", next(world, world.folder))
            try await device.asked.write(.init(sessionID: "former", scope: .local, process: ProcessNumber.own))
            let second = try next(world, world.folder)
            #expect(await second.launch() == .signedIn(session))
            #expect(await second.asked.request == nil)
            // The first process of the system is always there.
            try await device.asked.write(.init(sessionID: session.id, scope: .local, process: 1))
            let third = try next(world, world.folder)
            #expect(await third.launch() == .signedIn(session))
            #expect(await third.asked.request?.process == 1 && world.backend.isLive(session))
        }
    }
}
