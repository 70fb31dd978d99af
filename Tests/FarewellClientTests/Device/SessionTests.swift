// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("The session of a device")
struct SessionTests {
    @Test("SE-2 the next launch restores the session, and the user need not sign in")
    func restored() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn()
            world.weather.withLock { $0 = .down }
            let again = try world.device()
            #expect(await again.launch() == .signedIn(session))
            #expect(try await again.session == session, "also offline")
            #expect(world.backend.renewals == 0)
        }
    }

    @Test("an empty device is signed out, without a reason")
    func empty() async throws {
        try await World.with { world in
            let device = try world.device()
            #expect(await device.launch() == .signedOut(nil))
            #expect(await code { _ = try await device.session } == "device.signed-out")
        }
    }

    @Test("SE-3 a session is renewed before it expires: late in its life in the background, and before use once it has expired")
    func renewing() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            world.time.pass(.seconds(3_400))
            #expect(try await device.session == first && world.backend.renewals == 0)
            world.time.pass(.seconds(195))
            let second = try await device.session
            #expect(second.accessToken != first.accessToken && world.backend.renewals == 1)
            #expect(world.backend.isAccepted(second))
            let other = try world.device()
            #expect(await other.launch() == .signedIn(second))
        }
    }

    @Test("C9: fifty calls refused at once renew the session once, and all succeed")
    func singleFlight() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            world.time.pass(.seconds(3_601))
            world.time.deviceError.withLock { $0 = -7_200 }
            let refused = Guarded(0)
            let backend = world.backend
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await device.perform { session in
                            // The first token is refused, whatever the device's state.
                            if session.accessToken == first.accessToken || !backend.isAccepted(session) {
                                refused.withLock { $0 += 1 }
                                throw ProviderFailure.unauthorised(FarewellError("test.401", .yoursToFix, "401"))
                            }
                            return true
                        }
                    }
                }
                for try await isGood in group { #expect(isGood) }
            }
            #expect(world.backend.renewals == 1)
            #expect(world.backend.alarms == 0)
        }
    }

    @Test("CF-5 a call that is refused even with a new token requests a sign-in, and does not sign the user out")
    func stillRefused() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            let error = await code {
                try await device.perform { _ in
                    throw ProviderFailure.unauthorised(FarewellError("test.401", .yoursToFix, "401"))
                }
            }
            #expect(error == "device.sign-in-again" && world.backend.renewals == 1)
            #expect(await device.standing.session != nil)
        }
    }

    @Test("SE-5 C8: a missing network, a failing server and a lost answer do not sign the user out; a retry sends the same request")
    func lostAnswers() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            world.time.pass(.seconds(3_601))
            for weather in [Network.Weather.down, .failing, .deaf, .deaf, .down] {
                world.weather.withLock { $0 = weather }
                #expect(await code { _ = try await device.session } == "device.offline")
                #expect(await device.standing == .signedIn(first))
            }
            // Killed while it waits: the next process asks under the nonce that was stored.
            let next = try world.device()
            await next.launch()
            world.weather.withLock { $0 = .fine }
            let session = try await next.session
            #expect(world.backend.isAccepted(session) && world.backend.alarms == 0)
            #expect(try await device.session == session, "the other process takes it over")
        }
    }

    @Test("C8: a session with seconds left is used when it cannot be renewed")
    func lastSeconds() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            world.time.pass(.seconds(3_595))
            world.weather.withLock { $0 = .down }
            #expect(try await device.session == first)
        }
    }

    @Test(
        "SE-5 a refused renewal ends the session, with the reason, and clears the device",
        arguments: [
            SignOutReason.expired, .elsewhere, .stolenToken, .refused,
        ])
    func refused(_ reason: SignOutReason) async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            var events = device.events.makeAsyncIterator()
            #expect(await events.next() == .initial(.signedIn(session)))
            world.backend.end(session.id, reason)
            world.time.pass(.seconds(3_601))
            #expect(await code { _ = try await device.session } == "device.signed-out")
            #expect(await events.next() == .signedOut(reason))
            #expect(await device.standing == .signedOut(reason))
            #expect(!world.isThere(world.images) && world.memory.withLock { $0 } == 0)
            #expect(world.isThere(world.database), "kept for who signs in again")
            let next = try world.device()
            #expect(await next.launch() == .signedOut(reason))
        }
    }

    @Test("C17: an account deleted on another device leaves no data on this one, and there is no loop")
    func deletedElsewhere() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            world.backend.end(session.id, .accountDeleted)
            let error = await code {
                try await device.perform { _ in
                    throw ProviderFailure.unauthorised(FarewellError("test.401", .yoursToFix, "401"))
                }
            }
            #expect(error == "device.signed-out" && world.backend.renewals == 1)
            #expect(await device.standing == .signedOut(.accountDeleted))
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
        }
    }

    @Test("C16: a device whose clock is days wrong renews by the server's clock", arguments: [-3.0, 3.0])
    func wrongClock(_ days: Double) async throws {
        try await World.with { world in
            world.time.deviceError.withLock { $0 = days * 86_400 }
            let (device, first) = try await world.signedIn()
            world.time.pass(.seconds(3_000))
            #expect(try await device.session == first && world.backend.renewals == 0)
            world.time.deviceError.withLock { $0 = -days * 86_400 }
            #expect(try await device.session == first && world.backend.renewals == 0, "a jump of the clock")
            world.time.pass(.seconds(601))
            #expect(try await world.backend.isAccepted(device.session) && world.backend.renewals == 1)
        }
    }

    @Test("C16: after a restart, a device whose clock is late renews a token before its end; a clock that is set right costs one renewal")
    func lateClock() async throws {
        try await World.with { world in
            world.time.deviceError.withLock { $0 = -7_200 }
            let (_, first) = try await world.signedIn()
            world.time.pass(.seconds(3_601))
            let second = try world.device()
            #expect(await second.launch() == .signedIn(first))
            #expect(try await world.backend.isAccepted(second.session) && world.backend.renewals == 1)
            world.time.deviceError.withLock { $0 = 0 }
            for _ in 0..<2 {
                let next = try world.device()
                await next.launch()
                #expect(try await world.backend.isAccepted(next.session) && world.backend.renewals == 2)
            }
        }
    }

    @Test("C16: a clock that was ahead and is set right lets no token be used after its end")
    func earlyClock() async throws {
        try await World.with { world in
            world.time.deviceError.withLock { $0 = 7_200 }
            _ = try await world.signedIn()
            world.time.deviceError.withLock { $0 = 0 }
            world.time.pass(.seconds(3_601))
            let next = try world.device()
            await next.launch()
            #expect(try await world.backend.isAccepted(next.session) && world.backend.renewals == 1)
        }
    }

    @Test("C12: tokens that are unreadable now do not sign the user out; the session is there once they are readable")
    func locked() async throws {
        try await World.with { world in
            let store = LockableStore()
            let (device, session) = try await world.signedIn("anna", world.device(store: store))
            store.isLocked.withLock { $0 = true }
            #expect(try await device.session == session, "what is known stays known")
            let next = try world.device(store: store)
            guard case .unknown = await next.launch() else { throw Odd("not unknown") }
            #expect(await code { _ = try await next.session } == "test.locked")
            #expect(world.isThere(world.images))
            store.isLocked.withLock { $0 = false }
            #expect(try await next.session == session)
            #expect(await next.standing == .signedIn(session))
        }
    }

    @Test("C10: the processes of an app renew once together, and none of them is signed out")
    func processes() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            var devices = [device]
            world.time.standsStill.withLock { $0 = true }
            for _ in 0..<7 {
                devices.append(try world.device())
                await devices.last?.launch()
            }
            for round in 1...5 {
                world.time.pass(.seconds(3_601))
                let sessions = try await withThrowingTaskGroup(of: DeviceSession.self) { group in
                    for device in devices { group.addTask { try await device.session } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(sessions.map { $0.accessToken.reveal { $0 } }).count == 1)
                #expect(world.backend.renewals == round && world.backend.alarms == 0)
            }
        }
    }

    @Test("C11: the client drops tokens that a process brings back after sign-out")
    func lateAnswer() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            let widget = try world.device()
            await widget.launch()
            world.time.pass(.seconds(3_601))
            let gate = Gate()
            let slow = try world.device(GatedProvider(network: world.network, gate: gate))
            await slow.launch()
            async let late = code { _ = try await slow.session }
            try await gate.arrived()
            _ = try await device.signOut(timeout: .zero)
            gate.open()
            #expect(await late == "device.signed-out")
            #expect(await widget.launch() == .signedOut(.byYou))
            #expect(await slow.standing == .signedOut(.byYou))
            #expect(await code { _ = try await widget.session } == "device.signed-out")
        }
    }

    @Test("SE-3 run() keeps the session fresh without further calls, and stops on request")
    func proactive() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            var events = device.events.makeAsyncIterator()
            _ = await events.next()
            let work = Task { await device.run() }
            guard case .tokenRefreshed(let second)? = await events.next() else { throw Odd("no renewal") }
            #expect(second.accessToken != first.accessToken && world.time.elapsed < .seconds(3_600))
            work.cancel()
            await work.value
        }
    }

    @Test("C18: signing in as another user for a re-authentication changes nothing")
    func anotherPerson() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            let backend = world.backend
            let before = world.backend.state.withLock { $0.live.count }
            let error = await code {
                try await device.reauthenticate { () async throws(ProviderFailure) in backend.signIn("berta") }
            }
            #expect(error == "device.another-person")
            #expect(await device.standing == .signedIn(session))
            #expect(world.backend.state.withLock { $0.live.count } == before, "their session is ended again")
            let failure = ProviderFailure.refused(FarewellError("test.cancelled", .yoursToFix, "The sheet was closed."))
            let cancelled = await code {
                try await device.reauthenticate { () async throws(ProviderFailure) in throw failure }
            }
            #expect(cancelled == "test.cancelled")
            #expect(await device.standing == .signedIn(session))
            let again = try await device.reauthenticate { () async throws(ProviderFailure) in backend.signIn("anna") }
            #expect(again.user.id == "anna" && again.id != session.id)
            #expect(world.isThere(world.images), "it is the same person")
        }
    }
}
