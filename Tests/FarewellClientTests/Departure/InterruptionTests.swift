// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The system takes an app its time in the background: tasks are cancelled, the process stands still, or is gone.
@Suite("Background time that ends midway")
struct InterruptionTests {
    @Test("C15: cancelling the caller of a sign-out at any recorded state does not stop the sign-out, and the rest is reported later")
    func cancelled() async throws {
        for last in [SignOutState.intended, .queued, .tokensCleared, .done] {
            try await World.with { world in
                let (reached, goOn) = (Gate(), Gate())
                let (device, session) = try await world.signedIn(
                    "anna", world.device(observe: reached.holding(at: .signOut(last), until: goOn)))
                world.weather.withLock { $0 = .down }
                let work = Task { try? await device.signOut(timeout: .zero) }
                try await reached.opened()
                work.cancel()
                goOn.open()
                _ = await work.value
                try await eventually { try await device.journal.read() == nil }
                #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images), "\(last)")
                #expect(world.backend.isLive(session), "it has not heard yet")
                world.weather.withLock { $0 = .fine }
                // The app is back, in this process or in another one.
                let next = try world.device()
                #expect(await next.launch() == .signedOut(.byYou))
                let running = Task { await next.run() }
                try await eventually { !world.backend.isLive(session) }
                running.cancel()
                await running.value
                try await eventually { try await next.outbox.entries.isEmpty }
            }
        }
    }

    @Test("C15: cancelling the caller of a deletion at any recorded state does not stop the deletion")
    func cancelledDeletion() async throws {
        for last in [DeletionState.intended, .accepted, .subscriptionsLeft, .tokensCleared] {
            try await World.with { world in
                let (reached, goOn) = (Gate(), Gate())
                let (device, session) = try await world.signedIn(
                    "anna", world.device(observe: reached.holding(at: .deletion(last), until: goOn)))
                let work = Task { try? await device.deleteAccount() }
                try await reached.opened()
                work.cancel()
                goOn.open()
                _ = await work.value
                try await eventually { try await device.journal.read() == nil }
                #expect(await device.standing == .signedOut(.accountDeleted), "\(last)")
                #expect(!world.isThere(world.images) && !world.isThere(world.database) && !world.backend.isLive(session))
                #expect(world.backend.state.withLock { $0.deletionRequests.count } == 1)
            }
        }
    }

    @Test("C15: a process suspended in the middle of a sign-out continues where it was", arguments: 1...4)
    func frozen(_ point: Int) async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
        _ = try await app.run("sign-up", "anna@example.org")
        let process = try app.start(["sign-out"], dieAfter: point, by: SIGSTOP)
        let number = try await process.number()
        try await eventually {
            let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
            return text.split(separator: ")").last?.hasPrefix(" T") == true
        }
        kill(number, SIGCONT)
        let end = try await process.end()
        #expect(end.output.contains("signed out: device clean, server told"), "\(end.output)")
        #expect(try await server.count().sessions.isEmpty)
        #expect(app.leftovers == app.profile.keptAtSignOut)
    }

    @Test("C15: the outbox uses its own transport, which the system continues; its answers are read as usual")
    func handedOver() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let root = try #require(URL(string: server.url))
        let outbox = HandedOverTransport(.ephemeral)
        let answer = try await outbox.send(.init("GET", root.appending(path: "control")))
        #expect(answer.status == 200 && answer.json?["alarms"]?.integer == 0)
        #expect(try await outbox.send(.init("GET", root.appending(path: "nowhere"))).status == 404)
        let nobody = try #require(URL(string: "http://127.0.0.1:1/"))
        #expect(await failure { () async throws(ProviderFailure) in try await outbox.send(.init("GET", nobody)) }?.kind == "unavailable")

        let none = ScriptedTransport([])
        let provider = FarewellProvider(root, transport: none, outbox: outbox)
        let signedUp = FarewellProvider(root)
        try await World.with { world in
            let device = try world.device(provider)
            await device.launch()
            try await device.signIn { () async throws(ProviderFailure) in
                try await signedUp.signUp(email: "anna@example.org", password: Token("correct horse"))
            }
            #expect(try await server.count().sessions.count == 1)
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .told)
            #expect(try await server.count().sessions.isEmpty)
            #expect(none.asked.withLock { $0.isEmpty })
        }
    }

    @Test("SO-13 with the network down the device is clean at once, and the sign-out then waits at most for its time-out")
    func offline() async throws {
        try await World.with { world in
            let cleanAt = Guarded<Duration?>(nil)
            let time = world.time
            let (device, _) = try await world.signedIn(
                "anna",
                world.device(observe: { step in
                    if step == .signOut(.done) { cleanAt.withLock { $0 = time.elapsed } }
                }))
            world.weather.withLock { $0 = .down }
            let begin = time.elapsed
            let result = try await device.signOut()
            #expect(result.device.isClean && result.server == .pending)
            #expect(cleanAt.withLock { $0 } == begin)
            #expect(time.elapsed - begin <= .milliseconds(500))
        }
    }
}
