// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Signing out of a device")
struct SignOutTests {
    @Test("SO-6 SO-9 after a sign-out tokens and caches are gone, the server is notified, the interface follows")
    func complete() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            let other = world.backend.signIn("anna").value
            let result = try await device.signOut(timeout: .seconds(3_600))
            #expect(world.backend.isLive(other), "SO-5 without a word only this session ends")
            #expect(result.isComplete && result.server == .told, "\(result)")
            #expect(!world.backend.isLive(session) && !world.backend.isAccepted(session))
            #expect(await device.standing == .signedOut(.byYou))
            #expect(!world.isThere(world.images) && world.memory.withLock { $0 } == 0)
            #expect(world.isThere(world.database), "kept for use offline")
            #expect(result.device.lines.map(\.outcome) == [.cleared, .kept, .cleared])
            #expect(try await world.device().launch() == .signedOut(.byYou))
        }
    }

    @Test("SO-7 C3: offline the device is clean at once, and the server is notified as soon as possible, also after restarts")
    func offline() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            world.weather.withLock { $0 = .down }
            let result = try await device.signOut()
            #expect(result.server == .pending && result.device.isClean && !result.isComplete)
            #expect(!world.isThere(world.images))
            #expect(world.backend.isLive(session), "it has not heard yet")
            let second = try world.device()
            #expect(await second.launch() == .signedOut(.byYou))
            #expect(await second.deliver() == false)
            world.weather.withLock { $0 = .deaf }
            // The launch may still be sending the message under the former weather.
            try await eventually {
                #expect(await second.deliver() == false, "it heard, and we do not know")
                return !world.backend.isLive(session)
            }
            world.weather.withLock { $0 = .fine }
            let third = try world.device()
            await third.launch()
            #expect(await third.deliver())
            #expect(try await third.outbox.entries.isEmpty)
        }
    }

    @Test("SO-7 while the outbox waits, the device holds no usable token")
    func noTokenLeft() async throws {
        try await World.with { world in
            let store = MemoryTokenStore()
            let (device, session) = try await world.signedIn("anna", world.device(store: store))
            world.weather.withLock { $0 = .down }
            _ = try await device.signOut()
            guard case .present(let record) = store.read() else { throw Odd("no mark is left") }
            for token in [session.accessToken, session.refreshToken] {
                #expect(token.reveal { record.range(of: Data($0.utf8)) } == nil)
                #expect(token.reveal { text in (try? world.stateBytes().range(of: Data(text.utf8))) ?? nil } == nil)
            }
            let entry = try #require(try await device.outbox.entries.first)
            #expect(entry.revocation.ticket == session.signOutTicket)
        }
    }

    @Test("SO-5 global ends every session of the user and others all but this one; the ticket carries the scope")
    func scopes() async throws {
        try await World.with { world in
            let (device, mine) = try await world.signedIn()
            let other = world.backend.signIn("anna").value
            let stranger = world.backend.signIn("berta").value
            #expect(try await device.signOut(.others).server == .told)
            #expect(await device.standing == .signedIn(mine))
            #expect(world.isThere(world.images), "nothing changes here")
            #expect(world.backend.isLive(mine) && !world.backend.isLive(other) && world.backend.isLive(stranger))
            let third = world.backend.signIn("anna").value
            world.weather.withLock { $0 = .down }
            #expect(await code { _ = try await device.signOut(.others) } == "device.offline")
            #expect(try await device.signOut(.global).server == .pending)
            world.weather.withLock { $0 = .fine }
            #expect(await device.deliver())
            #expect(!world.backend.isLive(mine) && !world.backend.isLive(third) && world.backend.isLive(stranger))
        }
    }

    @Test("SO-7 a provider that keeps users signed in shows the error and leaves everything")
    func keepSignedIn() async throws {
        try await World.with { world in
            var network = world.network
            network.policy = .keepSignedIn
            let (device, session) = try await world.signedIn("anna", world.device(network))
            world.weather.withLock { $0 = .down }
            #expect(await code { _ = try await device.signOut() } == "device.offline")
            #expect(await device.standing == .signedIn(session))
            #expect(world.isThere(world.images) && world.memory.withLock { $0 } == 3)
            world.weather.withLock { $0 = .fine }
            let result = try await device.signOut()
            #expect(result.isComplete && !world.backend.isLive(session))
        }
    }

    @Test("SO-7 the client notifies a backend without tickets at once or never, and the result says which")
    func withoutTicket() async throws {
        for weather in [Network.Weather.fine, .down] {
            try await World.with { world in
                var network = world.network
                network.hasTickets = false
                let (device, session) = try await world.signedIn("anna", world.device(network))
                world.weather.withLock { $0 = weather }
                let result = try await device.signOut(timeout: weather == .fine ? .seconds(3_600) : .zero)
                #expect(result.server == (weather == .fine ? .told : .unconfirmed))
                #expect(world.backend.isLive(session) == (weather == .down))
                #expect(await device.standing == .signedOut(.byYou))
                #expect(try await device.outbox.entries.isEmpty)
            }
        }
    }

    @Test("C5: when the server refuses the ticket because the session is gone, the client reports it and clears the state")
    func alreadyGone() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn()
            world.backend.end(session.id, .elsewhere)
            let refusing = CustomProvider(
                "farewell", renewing: { session, _ throws(ProviderFailure) in ProviderAnswer(session) },
                signingOut: { _, _ throws(ProviderFailure) in
                    throw .forbidden(FarewellError("test.403", .yoursToFix, "403"))
                },
                requestingDeletion: { _, _ throws(ProviderFailure) in .unknown })
            let device = try world.device(refusing)
            await device.launch()
            #expect(try await device.signOut().device.isClean)
            #expect(await device.standing == .signedOut(.byYou))
        }
    }

    @Test(
        "C5: after any answer to the ticket the device is clean, and only an answer of the server itself ends the delivery",
        arguments: [
            (200, "{}", true), (200, "", true), (400, #"{"code":"validation_failed"}"#, true), (400, "{}", false),
            (401, "{}", false), (403, "{}", false), (404, "{}", false), (408, "{}", false), (429, "{}", false),
            (500, "{}", false), (503, "{}", false),
        ])
    func answers(_ status: Int, _ body: String, _ isHeard: Bool) async throws {
        try await World.with { world in
            let address = try #require(URL(string: "https://auth.example.org"))
            let device = try world.device(FarewellProvider(address, transport: ScriptedTransport([(status, body)])))
            await device.launch()
            let backend = world.backend
            try await device.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
            try world.leaveTraces()
            let result = try await device.signOut(timeout: .seconds(3_600))
            #expect(result.device.isClean && result.server == (isHeard ? .told : .pending))
            #expect(try await device.outbox.entries.isEmpty == isHeard)
            #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images))
        }
    }

    @Test("SO-4 ten taps run the flow once and get one answer; running calls are cancelled")
    func taps() async throws {
        try await World.with { world in
            let diary = Diary()
            let (device, _) = try await world.signedIn(
                "anna", world.device(participants: [NotingParticipant(name: "cache", diary: diary)]))
            let started = Gate()
            let call = Task {
                try await device.perform { _ in
                    started.open()
                    await untilCancelled()
                    return "written after sign-out"
                }
            }
            await started.pass()
            let results = try await withThrowingTaskGroup(of: SignOutResult.self) { group in
                for _ in 0..<10 { group.addTask { try await device.signOut(timeout: .seconds(3_600)) } }
                return try await group.reduce(into: Set<SignOutResult>()) { $0.insert($1) }
            }
            #expect(diary.all == ["cache"] && results.contains { $0.server == .told })
            #expect(await code { _ = try await call.value } == "device.signed-out")
            #expect(world.backend.state.withLock { $0.revocations } == 1)
        }
    }

    @Test("SO-8 a token store that cannot be cleared stops nothing, shows no user as signed in, and is cleared again at the next launch")
    func stuckStore() async throws {
        try await World.with { world in
            let store = LockableStore()
            let (device, session) = try await world.signedIn("anna", world.device(store: store))
            store.refusesWrites.withLock { $0 = true }
            let result = try await device.signOut(timeout: .seconds(3_600))
            #expect(!result.isComplete && result.problems.map(\.code.rawValue) == ["test.locked"])
            #expect(result.server == .told && !world.isThere(world.images))
            #expect(await device.standing == .signedOut(.byYou))
            #expect(await code { _ = try await device.session } == "device.signed-out", "though the store still holds it")
            let second = try world.device(store: store)
            #expect(await second.launch() == .signedOut(.byYou))
            #expect(await code { _ = try await second.session } == "device.signed-out")
            store.refusesWrites.withLock { $0 = false }
            let third = try world.device(store: store)
            #expect(await third.launch() == .signedOut(.byYou))
            #expect(try await third.journal.read() == nil)
            guard case .present(let record) = store.read() else { throw Odd("no mark") }
            #expect(session.refreshToken.reveal { record.range(of: Data($0.utf8)) } == nil)
        }
    }

    @Test("C13: the report names data that a participant could not clear, the journal keeps it, and the next launch clears it")
    func partial() async throws {
        try await World.with { world in
            let diary = Diary()
            let left = Guarded(["3 files"])
            func participants(failing: Bool) -> [any Participant] {
                [
                    NotingParticipant(name: "in use", diary: diary, left: { left.withLock { $0 } }),
                    NotingParticipant(
                        name: "full disk", diary: diary,
                        failure: failing ? FarewellError("test.full", .tryAgain, "No room.") : nil),
                    NotingParticipant(name: "after", diary: diary, after: ["full disk"]),
                ]
            }
            let (device, _) = try await world.signedIn("anna", world.device(participants: participants(failing: true)))
            let result = try await device.signOut(timeout: .zero)
            let outcomes = Dictionary(uniqueKeysWithValues: result.device.lines.map { ($0.name, $0.outcome) })
            #expect(outcomes["in use"] == .leftovers(["3 files"]))
            #expect(outcomes["full disk"] == .failed(FarewellError("test.full", .tryAgain, "No room.")))
            #expect(outcomes["after"] == .waiting(for: "full disk"))
            // Another user does not get in while data of Anna's is there; Anna does.
            let backend = world.backend
            #expect(
                await code { try await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") } }
                    == "device.not-clean")
            left.withLock { $0 = [] }
            let next = try world.device(participants: participants(failing: false))
            #expect(await next.launch() == .signedOut(.byYou))
            #expect(try await next.journal.read() == nil)
            try await next.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(await next.standing.session?.user.id == "berta")
        }
    }

    @Test("SO-10 the next user who signs in finds no data of the previous user, not even data that a sign-out keeps")
    func nextPerson() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            _ = try await device.signOut(timeout: .zero)
            #expect(world.isThere(world.database))
            let backend = world.backend
            try await device.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
            #expect(world.isThere(world.database), "SO-12 their own")
            _ = try await device.signOut(timeout: .zero)
            try await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(!world.isThere(world.database))
            try world.leaveTraces()
            // Straight from one person to the next, without a sign-out.
            try await device.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
            #expect(!world.isThere(world.database) && !world.isThere(world.images))
            #expect(await device.standing.session?.user.id == "anna")
        }
    }

    @Test("C14: a sign-out ends the session for which it was requested, not a later one")
    func accountSwitch() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            let other = try world.device()
            await other.launch()
            let backend = world.backend
            let second = try await other.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            try world.leaveTraces()
            _ = try await device.depart(first, .byYou, wipes: .signOut)
            #expect(world.isThere(world.images))
            #expect(try await other.session == second)
            #expect(await device.launch() == .signedIn(second))
        }
    }

    @Test("SO-14 after a crash at any recorded state, the next launch is signed out and clean, and the server is notified")
    func interrupted() async throws {
        for last in SignOutState.allCases {
            try await World.with { world in
                let parked = Gate()
                let store = LockableStore()
                let (device, session) = try await world.signedIn(
                    "anna", world.device(store: store, observe: parked.stopping(at: .signOut(last))))
                store.refusesWrites.withLock { $0 = last == .tokensStuck || last == .unclean }
                let work = Task { try await device.signOut(timeout: .zero) }
                try await parked.opened()
                store.refusesWrites.withLock { $0 = false }
                let next = try world.device(in: world.crashed(), store: store)
                #expect(await next.launch() == .signedOut(.byYou), "\(last)")
                guard case .present(let record) = store.read() else { throw Odd("no mark") }
                #expect(session.refreshToken.reveal { record.range(of: Data($0.utf8)) } == nil, "\(last)")
                await next.deliver()
                #expect(!world.backend.isLive(session) && !world.isThere(world.images), "\(last)")
                #expect(try await next.journal.read() == nil)
                work.cancel()
            }
        }
    }
}
