// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("A device whose session is in the Keychain")
struct KeychainDeviceTests {
    private func store(_ security: FakeSecurity, _ world: World) throws -> any TokenStore {
        try world.folder.keychainStore(KeychainTokenStore(service: "org.example.app", group: nil, security: security))
    }

    @Test("APP-06 AP-3 a Keychain that briefly reports no item after storing one does not sign the user out")
    func notFoundForAMoment() async throws {
        try await World.with { world in
            let security = FakeSecurity()
            let (_, session) = try await world.signedIn("anna", world.device(store: try store(security, world)))
            security.answers.withLock { $0[.copy] = Array(repeating: -25_300, count: 20) }
            let next = try world.device(store: try store(security, world))
            guard case .unknown(let error) = await next.launch() else { throw Odd("a prewarmed launch signs out") }
            #expect(error.code == "device.record-missing" && SessionStanding.unknown(error).help == .wait)
            #expect(await code { _ = try await next.session } == "device.record-missing")
            #expect(security.items.withLock { $0.count } == 1 && world.isThere(world.images))
            security.answers.withLock { $0 = [:] }
            #expect(await next.launch() == .signedIn(session))
        }
    }

    @Test("APP-06 APP-05 the session resumes without a call once the Keychain finds the item again")
    func foundLater() async throws {
        try await World.with { world in
            let security = FakeSecurity()
            let (_, session) = try await world.signedIn("anna", world.device(store: try store(security, world)))
            security.answers.withLock { $0[.copy] = Array(repeating: -25_308, count: 200) }
            let next = try world.device(store: try store(security, world))
            var events = next.events.makeAsyncIterator()
            _ = await events.next()
            guard case .unknown = await next.launch() else { throw Odd("locked is not known") }
            guard case .initial(.unknown(let error))? = await events.next() else { throw Odd("not said") }
            #expect(error.code == "device.keychain-locked")
            security.answers.withLock { $0 = [:] }
            try await eventually {
                world.time.endedPauses()
                return await next.standing == .signedIn(session)
            }
            #expect(await events.next() == .signedIn(session), "without another call of launch()")
        }
    }

    @Test("APP-06 an item missing for about a minute counts as lost: the sign-in is shown, and replaces it")
    func lost() async throws {
        try await World.with { world in
            let security = FakeSecurity()
            _ = try await world.signedIn("anna", world.device(store: try store(security, world)))
            security.items.withLock { $0 = [:] }
            let next = try world.device(store: try store(security, world))
            guard case .unknown = await next.launch() else { throw Odd("believed at once") }
            for _ in 0..<FarewellDevice.mostMisses { _ = await next.launch() }
            guard case .unknown(let error) = await next.standing else { throw Odd("signed out") }
            #expect(error.code == "device.record-lost" && SessionStanding.unknown(error).help == .signIn)
            #expect(world.isThere(world.images), "nothing was wiped for it")
            let backend = world.backend
            try await next.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
            #expect(await next.standing.session != nil && world.isThere(world.database))
        }
    }

    @Test("APP-10 AP-3 a missing entitlement (-34018) is an error of the app, which is reported at once without a wait")
    func notEntitled() async throws {
        try await World.with { world in
            let security = FakeSecurity()
            security.answers.withLock { $0[.copy] = Array(repeating: -34_018, count: 50) }
            let device = try world.device(store: try store(security, world))
            var events = device.events.makeAsyncIterator()
            _ = await events.next()
            guard case .unknown(let error) = await device.launch() else { throw Odd("not an error") }
            #expect(error.code == "device.keychain-entitlement" && error.remedy?.contains("Keychain Sharing") == true)
            #expect(await device.standing.help == .correctApp)
            #expect(await events.next() == .initial(.unknown(error)), "a follower learns of it")
        }
    }

    @Test("APP-03 AP-3 an extension with its own folder cannot read the session, and neither signs the app out nor overwrites the session")
    func foreignFolder() async throws {
        try await World.with { world in
            let security = FakeSecurity()
            let (app, session) = try await world.signedIn("anna", world.device(store: try store(security, world)))
            let own = try StateFolder(world.path + "/extension")
            let keychain = KeychainTokenStore(service: "org.example.app", group: nil, security: security)
            let other = try FarewellDevice(
                world.network, in: own, store: own.keychainStore(keychain), participants: [], environment: world.time.environment())
            guard case .unknown(let error) = await other.launch() else { throw Odd("taken for its own") }
            #expect(error.code == "device.record-foreign")
            let before = security.items.withLock { $0 }
            _ = try await other.signOut(timeout: .zero)
            #expect(security.items.withLock { $0 } == before, "a sign-out there is not one here")
            #expect(try await app.session == session)
            #expect(try await world.device(store: try store(security, world)).launch() == .signedIn(session))
            let backend = world.backend
            let theirs = try await other.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(try await other.session == theirs, "an explicit sign-in replaces it")
        }
    }

    @Test("APP-07 AP-3 a session that an earlier version kept in a file moves into the Keychain with the next write")
    func movesFromFile() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn("anna", world.device(store: FileTokenStore(in: world.folder)))
            let security = FakeSecurity()
            let next = try world.device(store: try store(security, world))
            #expect(await next.launch() == .signedIn(session) && security.items.withLock { $0.isEmpty })
            world.time.pass(.seconds(3_601))
            let renewed = try await next.session
            #expect(renewed.accessToken != session.accessToken && security.items.withLock { $0.count } == 1)
            #expect(!world.isThere(world.path + "/state/session"), "no token is left in a file")
            #expect(try await world.device(store: try store(security, world)).launch() == .signedIn(renewed))
        }
    }

    @Test("SO-14 a removal that ends midway leaves no record of an earlier place that would be read as the session")
    func removesEarlierFirst() throws {
        let (present, former) = (LockableStore(), MemoryTokenStore())
        let store = SucceedingTokenStore(store: present, earlier: former)
        present.inner.write(Data("present".utf8))
        former.write(Data("former".utf8))
        present.refusesWrites.withLock { $0 = true }
        #expect(throws: FarewellError.self) { try store.remove() }
        present.inner.remove()
        guard case .absent = store.read() else { throw Odd("an earlier record reappears") }
    }

    @Test("SO-8 SE-1 tokens that an earlier place does not give up at a sign-out are a problem, and the next launch removes them")
    func stuckEarlier() async throws {
        try await World.with { world in
            let (present, former) = (MemoryTokenStore(), LockableStore())
            _ = try await world.signedIn("anna", world.device(store: former))
            let store = SucceedingTokenStore(store: present, earlier: former)
            let device = try world.device(store: store)
            await device.launch()
            former.refusesWrites.withLock { $0 = true }
            let result = try await device.signOut(timeout: .seconds(3_600))
            #expect(result.problems.map(\.code) == ["test.locked"] && result.server == .told)
            #expect(await device.standing == .signedOut(.byYou))
            former.refusesWrites.withLock { $0 = false }
            let next = try world.device(store: store)
            #expect(await next.launch() == .signedOut(.byYou))
            guard case .absent = former.read() else { throw Odd("the tokens are still there") }
            #expect(try await next.journal.read() == nil)
        }
    }

    @Test("SO-8 SE-1 the same for an item that stays in the access group of an earlier version")
    func stuckGroup() async throws {
        try await World.with { world in
            let security = FakeSecurity()
            _ = try await world.signedIn("anna", world.device(store: try store(security, world)))
            let group = "TEAM.group.org.example"
            let grouped = KeychainTokenStore(service: "org.example.app", group: group, security: security)
            let device = try world.device(store: world.folder.keychainStore(grouped))
            await device.launch()
            // By the write, and by the attempt after it.
            security.answers.withLock { $0[.delete] = [-25_291, -25_291] }
            let result = try await device.signOut(timeout: .seconds(3_600))
            #expect(result.problems.map(\.code) == ["device.keychain"])
            #expect(security.items.withLock { $0.count } == 2)
            let next = try world.device(store: world.folder.keychainStore(grouped))
            #expect(await next.launch() == .signedOut(.byYou))
            #expect(security.items.withLock { $0.keys.map(\.group) } == [group])
            #expect(try await next.journal.read() == nil)
        }
    }

    @Test("APP-07 an app without its own store keeps tokens in the Keychain where there is one, and in an encrypted file here")
    func defaultStore() async throws {
        try await World.with { world in
            let name = try world.folder.defaultStore.name
            #if canImport(Security)
            #expect(name == "Keychain")
            #else
            #expect(name == "encrypted file")
            #endif
        }
    }
}
