// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// iOS kills an app that is suspended while it holds a file lock in a container that it shares (0xdead10cc).
@Suite("The process that wipes a device")
struct DeviceClaimTests {
    /// The files of a folder on which a lock is held. A call that only passes by gives its lock back meanwhile; a lock that is held
    /// until the caller is done stays.
    private static func held(in folder: String) throws -> [String] {
        var names = try locked(in: folder)
        for _ in 0..<20_000 where !names.isEmpty {
            sched_yield()
            names = try locked(in: folder)
        }
        return names
    }

    /// The files of a folder on which a lock is held now.
    private static func locked(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            let descriptor = open(folder + "/" + name, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return flock(descriptor, LOCK_EX | LOCK_NB) != 0
        }
    }

    @Test("APP-08 no file lock is held while participants, the subscription service or the server work")
    func noLocks() async throws {
        for deletes in [false, true] {
            try await World.with { world in
                let held = Guarded<[String: [String]]>([:])
                let state = world.path + "/state"
                let look: @Sendable (String) -> Void = { place in
                    let names = (try? Self.held(in: state)) ?? ["unreadable"]
                    held.withLock { $0[place, default: []] += names }
                }
                let time = world.time
                let slow = MemoryParticipant("slow") {
                    for _ in 0..<10 {
                        look("participant")
                        time.pass(.seconds(1))
                        await Task.yield()
                    }
                }
                let (device, _) = try await world.signedIn(
                    "anna",
                    world.device(
                        participants: [slow], subscriptions: EndingSubscriptions { look("subscriptions") },
                        observe: { step in look("\(step)") }))
                let begin = time.elapsed
                if deletes {
                    #expect(try await device.deleteAccount().device.isClean)
                } else {
                    #expect(try await device.signOut(timeout: .zero).device.isClean)
                }
                #expect(time.elapsed - begin >= .seconds(10), "the participant took its time")
                let found = held.withLock { $0 }
                #expect(found["participant"] != nil && found.values.allSatisfy(\.isEmpty), "\(found)")
            }
        }
    }

    @Test("APP-08 one holder at a time has the claim, which is free on release and once nothing refers to its holder")
    func exclusive() async throws {
        try await World.with { world in
            let claim = try DeviceClaim(in: world.folder, world.time.environment())
            let other = try DeviceClaim(in: world.folder, world.time.environment())
            var first: DeviceClaim.Holder? = try await claim.wait()
            #expect(first?.isHeld == true)
            let order = Diary()
            let waiting = Task {
                let second = try await other.wait()
                order.note("second")
                return second
            }
            for _ in 0..<50 { await Task.yield() }
            order.note("first")
            first?.release()
            let second = try await waiting.value
            #expect(order.all == ["first", "second"] && second.isHeld)
            second.release()
            first = try await claim.wait()
            first = nil
            let third = try await other.wait()
            #expect(third.isHeld)
        }
    }

    @Test("APP-08 a holder without a heartbeat loses the claim after its lease and notices the loss; a live holder keeps it")
    func lease() async throws {
        try await World.with { world in
            let time = world.time
            let claim = try DeviceClaim(in: world.folder, time.environment())
            let first = try await claim.wait()
            // A sign of life, then none: the process is suspended.
            time.pass(.seconds(15))
            try await time.endPauses()
            for _ in 0..<200 { await Task.yield() }
            time.pass(.seconds(15))
            #expect(first.isHeld)
            let second = try await claim.wait()
            #expect(second.isHeld && !first.isHeld)
            first.release()
            #expect(second.isHeld, "a holder of before takes nothing away")
        }
    }

    @Test("APP-08 a process suspended while another finishes its work and a new user signs in wipes none of the new user's data")
    func takenOver() async throws {
        try await World.with { world in
            let (reached, goOn) = (Gate(), Gate())
            let (device, _) = try await world.signedIn(
                "anna", world.device(observe: reached.holding(at: .signOut(.queued), until: goOn)))
            let leaving = Task { try await device.signOut(timeout: .zero) }
            try await reached.opened()
            world.time.pass(.seconds(60))
            // Each process has a memory of its own. The suspended one clears its own when it sees the next user.
            let memory = Guarded(0)
            let messages = MemoryParticipant("messages", clear: { memory.withLock { $0 = 0 } }, count: { memory.withLock { $0 } })
            let other = try world.device(participants: world.participants.dropLast() + [messages])
            #expect(await other.launch() == .signedOut(.byYou), "finished by the journal")
            let (_, berta) = try await world.signedIn("berta", other)
            memory.withLock { $0 = 3 }
            goOn.open()
            let result = try await leaving.value
            #expect(result.problems.map(\.code) == ["device.taken-over"])
            #expect(world.isThere(world.images) && world.isThere(world.database) && memory.withLock { $0 } == 3)
            try await eventually { world.memory.withLock { $0 == 0 } }
            #expect(try await other.session == berta)
        }
    }
}
