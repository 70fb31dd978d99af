// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// The behaviour of an app that calls only `launch()`.
@Suite("Work that finishes after a launch without a call from the app")
struct UpkeepTests {
    @Test("APP-05 SO-7 the next launch alone delivers a sign-out that has not reached the server, however long it takes")
    func outbox() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            world.weather.withLock { $0 = .down }
            #expect(try await device.signOut().server == .pending)
            let next = try world.device()
            #expect(await next.launch() == .signedOut(.byYou))
            for _ in 0..<3 { try await world.time.endPauses(ofAtLeast: .milliseconds(500)) }
            #expect(world.backend.isLive(session), "the network is still down")
            world.weather.withLock { $0 = .fine }
            try await eventually {
                world.time.endedPauses()
                return await next.upkeep == nil
            }
            #expect(!world.backend.isLive(session))
            #expect(try await next.outbox.entries.isEmpty, "and nothing is tried any more")
        }
    }

    @Test("APP-05 the process of the sign-out delivers it when the network is back, without run() or a launch")
    func sameProcess() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            world.weather.withLock { $0 = .down }
            #expect(try await device.signOut().server == .pending)
            world.weather.withLock { $0 = .fine }
            try await eventually {
                world.time.endedPauses()
                return !world.backend.isLive(session)
            }
        }
    }

    @Test("APP-05 C6 a launch alone completes a deletion whose answer was lost")
    func journal() async throws {
        try await World.with { world in
            var device: FarewellDevice? = try await world.signedIn().0
            world.weather.withLock { $0 = .deaf }
            #expect(await code { _ = try await device?.deleteAccount() } == "device.offline")
            #expect(!world.backend.hasAccount("anna") && world.isThere(world.database))
            // That process ends; the next one does nothing but launch.
            device = nil
            let next = try world.device()
            await next.launch()
            world.weather.withLock { $0 = .fine }
            try await eventually {
                world.time.endedPauses()
                return await next.standing == .signedOut(.accountDeleted)
            }
            try await eventually { try await next.journal.read() == nil }
            #expect(!world.isThere(world.database) && !world.isThere(world.images))
        }
    }

    @Test("APP-06 SE-5 an app started before the first unlock, when no file can be opened, restores the session afterwards")
    func beforeFirstUnlock() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn()
            let (state, aside) = (world.path + "/state", world.path + "/aside")
            let manager = FileManager.default
            let files = try manager.contentsOfDirectory(atPath: state)
            try manager.createDirectory(atPath: aside, withIntermediateDirectories: false)
            for file in files {
                try manager.moveItem(atPath: state + "/" + file, toPath: aside + "/" + file)
                // A folder in its place: the file exists, and cannot be opened for writing or read.
                try manager.createDirectory(atPath: state + "/" + file, withIntermediateDirectories: false)
            }
            let device = try world.device()
            #expect(await device.launch().help == .wait)
            for file in files {
                try manager.removeItem(atPath: state + "/" + file)
                try manager.moveItem(atPath: aside + "/" + file, toPath: state + "/" + file)
            }
            try await eventually {
                world.time.endedPauses()
                return await device.standing == .signedIn(session)
            }
            _ = try await device.signOut(timeout: .zero)
            #expect(try await world.device().launch() == .signedOut(.byYou))
        }
    }

    @Test("APP-05 C12 the client reads tokens in a locked place again without a call, and a follower learns which user is signed in")
    func locked() async throws {
        try await World.with { world in
            let store = LockableStore()
            let (_, session) = try await world.signedIn("anna", world.device(store: store))
            store.isLocked.withLock { $0 = true }
            let next = try world.device(store: store)
            var events = next.events.makeAsyncIterator()
            _ = await events.next()
            guard case .unknown = await next.launch() else { throw Odd("known") }
            guard case .initial(.unknown)? = await events.next() else { throw Odd("not said") }
            try await world.time.endPauses()
            try await world.time.endPauses()
            store.isLocked.withLock { $0 = false }
            try await eventually {
                world.time.endedPauses()
                return await next.standing == .signedIn(session)
            }
            #expect(await events.next() == .signedIn(session))
        }
    }

    @Test("APP-05 a follower that starts before the launch learns that no user is signed in")
    func nobody() async throws {
        try await World.with { world in
            let device = try world.device()
            var events = device.events.makeAsyncIterator()
            _ = await events.next()
            await device.launch()
            #expect(await events.next() == .initial(.signedOut(nil)))
        }
    }

    @Test("APP-05 two simultaneous launches finish interrupted work once, and give one answer")
    func together() async throws {
        try await World.with { world in
            let diary = Diary()
            let left = Guarded(["one file"])
            let participant = NotingParticipant(name: "cache", diary: diary, left: { left.withLock { $0 } })
            let (device, _) = try await world.signedIn("anna", world.device(participants: [participant]))
            _ = try await device.signOut(timeout: .zero)
            left.withLock { $0 = [] }
            let next = try world.device(participants: [participant])
            async let first = next.launch()
            async let second = next.launch()
            let both = await [first, second]
            #expect(both == [.signedOut(.byYou), .signedOut(.byYou)] && diary.all == ["cache", "cache"])
        }
    }

    @Test("APP-05 unfinished work does not keep an unreferenced device alive")
    func released() async throws {
        try await World.with { world in
            world.weather.withLock { $0 = .down }
            var device: FarewellDevice? = try await world.signedIn().0
            _ = try await device?.signOut()
            weak let seen = device
            device = nil
            try await eventually { seen == nil }
        }
    }

    @Test("APP-08 the client requests background time around sign-out, deletion and delivery, and gives it back each time")
    func backgroundTime() async throws {
        try await World.with { world in
            let open = Guarded<[Int]>([])
            let time = world.time
            let (device, _) = try await world.signedIn(
                "anna", world.device(observe: { _ in open.withLock { $0.append(time.awake.withLock { $0.open }) } }))
            #expect(world.time.awake.withLock { $0.reasons.isEmpty })
            _ = try await device.signOut(timeout: .seconds(3_600))
            let (again, _) = try await world.signedIn("anna", device)
            _ = try await again.deleteAccount()
            #expect(open.withLock { !$0.isEmpty && $0.allSatisfy { $0 > 0 } }, "awake at every recorded state")
            let reasons = Set(world.time.awake.withLock { $0.reasons })
            #expect(reasons == ["Sign-out", "Delivery of a sign-out", "Deletion of the account"])
            try await eventually { time.awake.withLock { $0.open } == 0 }
        }
    }

    @Test("APP-08 a launch that completes an interrupted deletion requests background time for all of it")
    func backgroundTimeAtLaunch() async throws {
        try await World.with { world in
            let open = Guarded<[Int]>([])
            let time = world.time
            var device: FarewellDevice? = try await world.signedIn().0
            world.weather.withLock { $0 = .deaf }
            #expect(await code { _ = try await device?.deleteAccount() } == "device.offline")
            device = nil
            world.weather.withLock { $0 = .fine }
            let next = try world.device(observe: { _ in open.withLock { $0.append(time.awake.withLock { $0.open }) } })
            #expect(await next.launch() == .signedOut(.accountDeleted))
            #expect(open.withLock { !$0.isEmpty && $0.allSatisfy { $0 > 0 } }, "awake at every recorded state")
            try await eventually { time.awake.withLock { $0.open } == 0 }
        }
    }
}
