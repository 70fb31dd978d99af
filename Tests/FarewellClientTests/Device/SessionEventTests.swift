// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Events of a session")
struct SessionEventTests {
    @Test("SE-4 a late subscriber first learns the current state; then each gets every event, in order")
    func order() async throws {
        try await World.with { world in
            let device = try world.device()
            var early = device.events.makeAsyncIterator()
            guard case .initial(.unknown) = await early.next() else { throw Odd("nothing was looked at yet") }
            let (_, first) = try await world.signedIn("anna", device)
            var late = device.events.makeAsyncIterator()
            #expect(await late.next() == .initial(.signedIn(first)))
            #expect(await early.next() == .initial(.signedOut(nil)), "known by the launch")
            #expect(await early.next() == .signedIn(first))
            world.time.pass(.seconds(3_601))
            let second = try await device.session
            try await device.update(DeviceUser(id: "anna", email: "new@example.org"))
            _ = try await device.signOut(timeout: .zero)
            for _ in 0..<1 {
                #expect(await early.next() == .tokenRefreshed(second))
                #expect(await late.next() == .tokenRefreshed(second))
                let user = DeviceUser(id: "anna", email: "new@example.org")
                #expect(await early.next() == .userUpdated(user))
                #expect(await late.next() == .userUpdated(user))
                #expect(await early.next() == .signedOut(.byYou))
                #expect(await late.next() == .signedOut(.byYou))
            }
            var last = device.events.makeAsyncIterator()
            #expect(await last.next() == .initial(.signedOut(.byYou)))
        }
    }

    @Test("SE-4 a follower that does not read blocks no other follower, and keeps only the last of many renewals")
    func slow() async throws {
        try await World.with(life: 10) { world in
            let (device, _) = try await world.signedIn()
            var slow = device.events.makeAsyncIterator()
            var quick = device.events.makeAsyncIterator()
            guard case .initial = await quick.next() else { throw Odd("initial") }
            var last = try await device.session
            for _ in 0..<100 {
                world.time.pass(.seconds(11))
                last = try await device.session
                #expect(await quick.next() == .tokenRefreshed(last))
            }
            _ = try await device.signOut(timeout: .zero)
            #expect(await quick.next() == .signedOut(.byYou))
            guard case .initial = await slow.next() else { throw Odd("initial") }
            #expect(await slow.next() == .tokenRefreshed(last))
            #expect(await slow.next() == .signedOut(.byYou))
        }
    }

    @Test("SE-4 the stream of a cancelled subscriber ends and leaves nothing behind")
    func cancelled() async throws {
        try await World.with { world in
            let device = try world.device()
            let reading = Task {
                var count = 0
                for await _ in device.events { count += 1 }
                return count
            }
            await device.launch()
            reading.cancel()
            #expect(await reading.value <= 2)
        }
    }

    @Test("SE-4 every process learns of a sign-out in another process, with its reason, and clears its memory")
    func otherProcess() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            let other = try world.device()
            await other.launch()
            var events = other.events.makeAsyncIterator()
            _ = await events.next()
            _ = try await device.signOut(timeout: .zero)
            world.memory.withLock { $0 = 5 }
            #expect(await code { _ = try await other.session } == "device.signed-out")
            #expect(await events.next() == .signedOut(.byYou))
            try await eventually { world.memory.withLock({ $0 }) == 0 }
        }
    }
}
