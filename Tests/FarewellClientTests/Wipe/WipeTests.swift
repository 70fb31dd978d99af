// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Wiping a device")
struct WipeTests {
    @Test("CF-6 dependent participants run after their dependencies, others run in parallel, and a failure stops only its dependents")
    func order() async throws {
        let diary = Diary()
        let failure = FarewellError("test.no", .tryAgain, "No.")
        let registry = try WipeRegistry([
            NotingParticipant(name: "d", diary: diary, after: ["b", "c"]),
            NotingParticipant(name: "a", diary: diary),
            NotingParticipant(name: "b", diary: diary, after: ["a"], failure: failure),
            NotingParticipant(name: "c", diary: diary, after: ["a"]),
            NotingParticipant(name: "e", diary: diary, after: ["d"]),
        ])
        #expect(registry.groups.map { $0.map(\.name) } == [["a"], ["b", "c"], ["d"], ["e"]])
        let report = await registry.wipe(.signOut)
        #expect(diary.all.first == "a" && Set(diary.all) == ["a", "b", "c"])
        #expect(report.lines.map(\.name) == ["a", "b", "c", "d", "e"] && !report.isClean)
        #expect(
            report.lines.map(\.outcome) == [
                .cleared, .failed(failure), .cleared, .waiting(for: "b"), .waiting(for: "d"),
            ])
    }

    @Test("CF-6 a registry with a duplicate, a missing name or a cycle is refused, with names")
    func refusals() async throws {
        let diary = Diary()
        let bad: [[any Participant]] = [
            [NotingParticipant(name: "a", diary: diary), NotingParticipant(name: "a", diary: diary)],
            [NotingParticipant(name: "a", diary: diary, after: ["z"])],
            [NotingParticipant(name: "a", diary: diary, after: ["a"])],
            [NotingParticipant(name: "a", diary: diary, after: ["b"]), NotingParticipant(name: "b", diary: diary, after: ["a"])],
        ]
        for participants in bad { #expect(await code { _ = try WipeRegistry(participants) } == "device.participants") }
    }

    @Test("SO-9 each place is cleared on its occasions and on no other", arguments: Clearing.allCases, WipeOccasion.allCases)
    func occasions(_ clearing: Clearing, _ occasion: WipeOccasion) async throws {
        let diary = Diary()
        let registry = try WipeRegistry([NotingParticipant(name: "a", diary: diary, clears: clearing)])
        let report = await registry.wipe(occasion)
        let isCleared = clearing == .onSignOut || clearing == .onDeletion && occasion == .deletion
        #expect(diary.all.isEmpty == !isCleared && report.lines[0].outcome == (isCleared ? .cleared : .kept))
        #expect(report.isClean)
    }

    @Test("SO-9 CF-3 place by place: the data that a sign-out deletes, that a deletion deletes, and that the device keeps")
    func places() async throws {
        let suite = "farewell-test-\(UUID().uuidString.lowercased())"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        for occasion in WipeOccasion.allCases {
            try await World.with { world in
                let cleared = world.path + "/drafts.sqlite"
                let (device, session) = try await world.signedIn(
                    "anna",
                    world.device(
                        participants: world.participants + [
                            PreferencesParticipant(suite: suite, keys: ["auth.*"]),
                            DatabaseParticipant("drafts", at: cleared, clears: .onSignOut),
                        ]))
                try Data("of Anna".utf8).write(to: URL(fileURLWithPath: cleared))
                defaults.set("anna", forKey: "auth.user")
                defaults.set("dark", forKey: "theme")
                if occasion == .signOut {
                    #expect(try await device.signOut(timeout: .seconds(3_600)).isComplete)
                } else {
                    #expect(try await device.deleteAccount().device.isClean)
                }
                #expect(!world.isThere(world.images) && world.memory.withLock { $0 } == 0, "images and memory")
                #expect(!world.isThere(cleared) && defaults.string(forKey: "auth.user") == nil)
                #expect(world.isThere(world.database) == (occasion == .signOut), "kept for use offline, until the account goes")
                #expect(defaults.string(forKey: "theme") == "dark")
                guard case .record(let record) = await device.vault.read() else { throw Odd("tokens") }
                #expect(record?.session == nil && !world.backend.isLive(session))
            }
        }
    }

    @Test("CF-4 data that reappears after the wipe is reported, as a number and not by name")
    func leftovers() async throws {
        try await World.with { world in
            try world.leaveTraces()
            let registry = try WipeRegistry([
                MemoryParticipant("stubborn", clear: {}, count: { 2 }), FolderParticipant("images", at: world.images),
            ])
            let report = await registry.wipe(.deletion)
            #expect(report.lines.map(\.outcome) == [.leftovers(["2 entries"]), .cleared])
            try world.leaveTraces()
            #expect(try await FolderParticipant("images", at: world.images).leftovers(.deletion) == ["3 files"])
        }
    }

    @Test("CF-4 the scan at the end finds what a participant writes into a place that was clean already")
    func writtenLater() async throws {
        let (values, diary) = (Guarded(2), Diary())
        let preferences = MemoryParticipant("preferences", clear: { values.withLock { $0 = 0 } }, count: { values.withLock { $0 } })
        let registry = try WipeRegistry([
            preferences, NotingParticipant(name: "other", diary: diary),
            LastParticipant(after: ["preferences"]) { values.withLock { $0 = 1 } },
        ])
        let report = await registry.wipe(.deletion)
        #expect(report.lines.map(\.name) == ["preferences", "other", "service"])
        #expect(report.lines.map(\.outcome) == [.leftovers(["1 entries"]), .cleared, .cleared])
        #expect(diary.all == ["other"], "it is looked at again, and not cleared again")
    }

    @Test("CF-6 the wipe deletes whole folders, deletes links but not their targets, and accepts missing paths")
    func folders() async throws {
        try await World.with { world in
            try world.leaveTraces()
            let manager = FileManager.default
            let outside = world.path + "/outside"
            try manager.createDirectory(atPath: outside, withIntermediateDirectories: true)
            try Data("somebody else's".utf8).write(to: URL(fileURLWithPath: outside + "/keep.txt"))
            try manager.createSymbolicLink(atPath: world.images + "/link", withDestinationPath: outside)
            try manager.createSymbolicLink(atPath: world.images + "/broken", withDestinationPath: world.path + "/nowhere")
            let folder = FolderParticipant("images", at: world.images, world.path + "/not there")
            try await folder.clear(.signOut)
            #expect(try await folder.leftovers(.signOut).isEmpty && !world.isThere(world.images))
            #expect(world.isThere(outside + "/keep.txt"))
            try await folder.clear(.signOut)
        }
    }

    @Test("CF-3 the wipe deletes the user's preferences and keeps the device's, or deletes all except the named ones")
    func preferences() async throws {
        let suite = "farewell-test-\(UUID().uuidString.lowercased())"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        func fill() {
            for (key, value) in ["auth.user": "anna", "auth.mail": "a@example.org", "lastChat": "7", "theme": "dark"] {
                defaults.set(value, forKey: key)
            }
        }
        fill()
        let some = PreferencesParticipant(suite: suite, keys: ["auth.*", "lastChat"])
        #expect(try await some.leftovers(.signOut) == ["3 keys"])
        try await some.clear(.signOut)
        #expect(try await some.leftovers(.signOut).isEmpty)
        #expect(defaults.string(forKey: "theme") == "dark" && defaults.string(forKey: "auth.user") == nil)
        fill()
        let all = PreferencesParticipant(suite: suite, allBut: ["theme"])
        #expect(all.clears == .onDeletion)
        try await all.clear(.deletion)
        #expect(defaults.string(forKey: "theme") == "dark" && defaults.string(forKey: "lastChat") == nil)
    }

    @Test("APP-02 CF-6 the app's own preferences are the standard ones, even under the app's own name, which opens no suite")
    func ownPreferences() async throws {
        let own = "farewell-own-\(UUID().uuidString.lowercased())"
        defer { UserDefaults.standard.removePersistentDomain(forName: own) }
        for suite in [nil, own] {
            // Apple's systems open no suite under an app's own bundle identifier.
            let place = PreferencesPlace(suite: suite, own: own, open: { name in name == own ? nil : UserDefaults(suiteName: name) })
            #expect(try place.opened() === UserDefaults.standard && place.domain == own)
            UserDefaults.standard.setPersistentDomain(["auth.user": "anna", "appearance": "dark", "AppleLanguages": ["de"]], forName: own)
            let participant = PreferencesParticipant(name: "own", holds: "a", clears: .onSignOut, place: place, keys: ["auth.*"])
            #expect(try await participant.leftovers(.signOut) == ["1 keys"])
        }
        let other = PreferencesPlace(suite: "group.example", own: own, open: { _ in nil })
        #expect(await code { _ = try other.opened() } == "device.preferences")
    }

    @Test("APP-02 CF-3 clearing all of the app's own preferences keeps the device's and the system's, and the next sign-in succeeds")
    func clearsOwn() async throws {
        let domain = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        let before = UserDefaults.standard.persistentDomain(forName: domain)
        defer {
            for key in ["auth.user", "appearance", "AppleLanguages"] { UserDefaults.standard.removeObject(forKey: key) }
        }
        try await World.with { world in
            let participant = PreferencesParticipant("own", allBut: ["appearance"], clears: .onSignOut)
            let device = try world.device(participants: [participant])
            _ = try await world.signedIn("anna", device)
            for (key, value) in ["auth.user": "anna", "appearance": "dark", "AppleLanguages": "de"] {
                UserDefaults.standard.set(value, forKey: key)
            }
            #expect(try await device.signOut(timeout: .seconds(3_600)).isComplete)
            #expect(UserDefaults.standard.string(forKey: "auth.user") == nil)
            #expect(UserDefaults.standard.string(forKey: "appearance") == "dark")
            #expect(UserDefaults.standard.string(forKey: "AppleLanguages") == "de", "the system's own")
            _ = try await world.signedIn("berta", device)
        }
        #expect(before?["auth.user"] == nil)
    }

    @Test("CF-6 a database is deleted with its log and its memory, after the app has closed it")
    func database() async throws {
        try await World.with { world in
            try world.leaveTraces()
            let diary = Diary()
            let database = DatabaseParticipant("database", at: world.database, closing: { diary.note("closed") })
            #expect(try await database.leftovers(.deletion).count == 3)
            try await database.clear(.deletion)
            #expect(try await database.leftovers(.deletion).isEmpty && diary.all == ["closed"])
        }
    }

    @Test("CF-6 a secret in a store is deleted, and an unreadable store is not called clean")
    func secrets() async throws {
        let store = LockableStore()
        try store.write(Data("secret".utf8))
        let participant = SecretParticipant("key", in: store)
        #expect(try await participant.leftovers(.signOut) == ["a secret in lockable"])
        store.isLocked.withLock { $0 = true }
        let report = await (try WipeRegistry([participant])).wipe(.signOut)
        #expect(!report.isClean)
        store.isLocked.withLock { $0 = false }
        #expect(await (try WipeRegistry([participant])).wipe(.signOut).isClean)
    }

    @Test(
        "CF-6 sign-out also logs out of a subscription service where the app demands it, and no service delays another",
        arguments: [true, false])
    func subscriptions(_ answers: Bool) async throws {
        try await World.with { world in
            let (diary, gate) = (Diary(), Gate())
            let service: any SubscriptionService =
                answers ? NotingSubscriptions(diary: diary) : SilentSubscriptions(gate: gate)
            for clearing in [Clearing.onDeletion, .onSignOut] {
                let device = try FarewellDevice(
                    world.network, in: world.folder, store: FileTokenStore(in: world.folder), subscriptions: service,
                    leavesSubscriptions: clearing, environment: world.time.environment())
                _ = try await world.signedIn("anna", device)
                #expect(try await device.signOut(timeout: .seconds(3_600)).isComplete)
                #expect(diary.all == (answers && clearing == .onSignOut ? ["subscriptions"] : []))
            }
            gate.open()
        }
    }

    @Test("CF-6 SO-9 server answers in the system's cache are deleted")
    func caches() async throws {
        let url = try #require(URL(string: "https://cache.example/\(UUID())"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "1.1", headerFields: nil))
        URLCache.shared.storeCachedResponse(.init(response: response, data: Data("a face".utf8)), for: URLRequest(url: url))
        #expect(URLCache.shared.cachedResponse(for: URLRequest(url: url)) != nil)
        #expect(try await WipeRegistry([WebParticipant.answers()]).wipe(.signOut).isClean)
        #expect(URLCache.shared.cachedResponse(for: URLRequest(url: url)) == nil)
    }

    @Test("CF-6 cookies of a domain and its subdomains are deleted, others stay")
    func cookies() async throws {
        func set(_ domain: String) throws {
            let cookie = try #require(
                HTTPCookie(properties: [.name: "a", .value: "b", .path: "/", .domain: domain]))
            HTTPCookieStorage.shared.setCookie(cookie)
        }
        let own = "farewell-\(UUID().uuidString.lowercased()).example.org"
        for domain in [own, "api.\(own)", "not\(own)"] { try set(domain) }
        let participant = WebParticipant.cookies(of: own)
        #expect(try await participant.leftovers(.signOut) == ["2 entries"])
        try await participant.clear(.signOut)
        #expect(try await participant.leftovers(.signOut).isEmpty)
        let other = WebParticipant.cookies(of: "not\(own)")
        #expect(try await other.leftovers(.signOut) == ["1 entries"])
        try await other.clear(.signOut)
    }
}

/// A participant that comes after others, and leaves a trace elsewhere.
private struct LastParticipant: Participant {
    let after: Set<String>
    let trace: @Sendable () -> Void
    var name: String { "service" }
    var holds: String { "nothing here" }
    var clears: Clearing { .onSignOut }

    func clear(_ occasion: WipeOccasion) async throws { trace() }
    func leftovers(_ occasion: WipeOccasion) async throws -> [String] { [] }
}
