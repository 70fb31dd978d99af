// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("A device whose disk is full")
struct FullDiskTests {
    @Test("SO-7 SO-8 a full disk does not stop a sign-out: the device is clean, and its process informs the server once it is reachable")
    func signsOut() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            try world.fillDisk()
            world.weather.withLock { $0 = .down }
            let result = try await device.signOut(timeout: .seconds(3_600))
            #expect(result.server == .unconfirmed && result.device.isClean && !result.problems.isEmpty)
            #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images))
            #expect(try await world.device().launch() == .signedOut(nil), "no file has the tokens any more")
            #expect(world.backend.isLive(session))
            world.weather.withLock { $0 = .fine }
            try await world.time.endPauses()
            try await eventually { !world.backend.isLive(session) }
        }
    }

    @Test("SO-7 on a full disk, a sign-out counts as reported only if the server has received it")
    func tells() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            try world.fillDisk()
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .told)
            #expect(!world.backend.isLive(session))
        }
    }

    @Test("SO-7 a message to the server that found no space is written once there is space, and a later launch delivers it")
    func writesLater() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            try world.fillDisk()
            world.weather.withLock { $0 = .down }
            _ = try await device.signOut(timeout: .seconds(3_600))
            #expect(try await device.outbox.entries.isEmpty)
            try world.makeRoom()
            #expect(await !device.deliver())
            #expect(try await device.outbox.entries.count == 1)
            world.weather.withLock { $0 = .fine }
            let next = try world.device()
            #expect(await next.launch() == .signedOut(nil))
            try await eventually { !world.backend.isLive(session) }
            #expect(await device.deliver(), "and nothing is left")
        }
    }

    @Test("AD-6 a deletion that cannot be recorded is not requested, and changes nothing")
    func requestsNothing() async throws {
        try await World.with { world in
            let (device, session) = try await world.signedIn()
            try world.fillDisk()
            #expect(await code { _ = try await device.deleteAccount() } == "device.storage")
            #expect(world.backend.state.withLock { $0.deletionRequests.isEmpty } && world.isThere(world.images))
            #expect(try await device.session == session)
        }
    }

    @Test("CF-2 a disk that fills up after the server has accepted a deletion leaves nothing of the user on the device")
    func fillsUp() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn(
                "anna", world.device(observe: { step in if step == .deletion(.accepted) { try? world.fillDisk() } }))
            let result = try await device.deleteAccount()
            #expect(result.isDone && result.device.isClean && !result.problems.isEmpty)
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
            #expect(try await device.journal.read() == nil)
            #expect(try await world.device().launch() == .signedOut(nil))
        }
    }

    @Test("CF-2 C6 an accepted deletion that finds no space is no failure, and is recorded as soon as there is space")
    func recordsLater() async throws {
        try await World.with { world in
            let network = world.network
            let kept = Guarded<[Departure.Course?]>([])
            let provider = CustomProvider(
                "farewell",
                renewing: { session, nonce async throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ async throws(ProviderFailure) in },
                requestingDeletion: { _, _ async throws(ProviderFailure) in
                    try? world.fillDisk()
                    return .underway(DeletionProgress(id: "e", state: "running"))
                },
                tellingDeletion: { _ async throws(ProviderFailure) in
                    let course = try? DepartureJournal(in: world.folder, world.time.environment()).read()?.course
                    let count = kept.withLock { kept in
                        kept.append(course)
                        return kept.count
                    }
                    if count == 1 { try? world.makeRoom() }
                    return count == 1 ? .underway(DeletionProgress(id: "e", state: "running")) : .done(DeletionProgress(state: "done"))
                })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            let result = try await device.deleteAccount()
            #expect(result.isDone && result.device.isClean && result.problems.isEmpty)
            let courses = kept.withLock { $0.compactMap { $0 } }
            guard case .deletion(.intended, _)? = courses.first else { throw Odd("recorded on a full disk") }
            guard case .deletion(.accepted, let intent)? = courses.last else { throw Odd("not recorded") }
            #expect(courses.count == 2 && intent.serverID == "e")
            #expect(world.time.logged.withLock { $0 }.contains { $0.code == "device.storage" })
        }
    }

    @Test("AD-6 C4 a deletion that failed for the user is not sent again by a launch, even if that could not be recorded")
    func forgetsFailure() async throws {
        try await World.with { world in
            let network = world.network
            let provider = CustomProvider(
                "farewell",
                renewing: { session, nonce async throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ async throws(ProviderFailure) in },
                requestingDeletion: { _, _ async throws(ProviderFailure) in
                    try? world.fillDisk()
                    throw Network.offline
                }, tellingDeletion: { _ async throws(ProviderFailure) in throw Network.offline })
            let (device, session) = try await world.signedIn("anna", world.device(provider))
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            try world.makeRoom()
            let next = try world.device()
            #expect(await next.launch() == .signedIn(session))
            #expect(world.backend.hasAccount("anna") && world.backend.state.withLock { $0.deletionRequests.isEmpty })
        }
    }

    @Test("SE-5 SO-7 a sign-in that cannot be stored ends its own session and never the one in use", arguments: [true, false])
    func keepsSession(wholeDisk: Bool) async throws {
        try await World.with { world in
            let store = LockableStore()
            let (device, first) = try await world.signedIn("anna", world.device(store: store))
            if wholeDisk { try world.fillDisk() } else { store.refusesWrites.withLock { $0 = true } }
            let second = world.backend.signIn("anna")
            #expect(await code { try await device.signIn { () async throws(ProviderFailure) in second } } != nil)
            #expect(world.backend.isLive(first) && !world.backend.isLive(second.value))
            #expect(try await device.session == first)
            if wholeDisk { try world.makeRoom() } else { store.refusesWrites.withLock { $0 = false } }
            let backend = world.backend
            let third = try await device.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
            try await eventually {
                world.time.endedPauses()
                return !backend.isLive(first)
            }
            #expect(backend.isLive(third))
            #expect(try await device.session == third)
        }
    }
}
