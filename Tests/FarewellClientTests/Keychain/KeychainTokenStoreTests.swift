// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClientTesting
import Foundation
import Testing

@testable import FarewellClient

@Suite("The Keychain as a place for tokens")
struct KeychainTokenStoreTests {
    static let group = "TEAM.group.org.example"

    private func store(_ security: FakeSecurity, group: String? = nil) -> KeychainTokenStore {
        KeychainTokenStore(service: "org.example.app", group: group, security: security)
    }

    @Test(
        "AP-3 SE-1 the Keychain keeps every promise of a token store", arguments: TokenStoreConformance.cases,
        [nil, "TEAM.group.org.example"])
    func conforms(_ theCase: TokenStoreConformance.Case, _ group: String?) async throws {
        try await theCase.run { use in
            let security = FakeSecurity()
            try await use(store(security, group: group), store(security, group: group))
        }
    }

    /// Each code of SecBase.h that an item function returns, with the results of a read, a write and a removal.
    static let codes: [(code: Int32, error: String, help: SessionStanding.Help)] = [
        (-25_308, "device.keychain-locked", .wait), (-25_315, "device.keychain-locked", .wait),
        (-25_320, "device.keychain-locked", .wait), (-25_316, "device.keychain-locked", .wait),
        (-34_018, "device.keychain-entitlement", .correctApp), (-34_020, "device.keychain-entitlement", .correctApp),
        (-25_243, "device.keychain-entitlement", .correctApp),
        (-4, "device.keychain-request", .signIn), (-50, "device.keychain-request", .signIn),
        (-909, "device.keychain-request", .signIn), (-25_303, "device.keychain-request", .signIn),
        (-25_306, "device.keychain-request", .signIn), (-25_302, "device.keychain-request", .signIn),
        (-26_275, "device.keychain-damaged", .signIn),
        (-25_291, "device.keychain", .wait), (-25_293, "device.keychain", .wait), (-34, "device.keychain", .wait),
        (-36, "device.keychain", .wait), (-61, "device.keychain", .wait), (-108, "device.keychain", .wait),
        (-128, "device.keychain", .wait), (-2_070, "device.keychain", .wait), (-12_345, "device.keychain", .wait),
    ]

    @Test("APP-10 AP-3 each status code of Security has one meaning, which an error names with its number", arguments: codes)
    func meaning(_ line: (code: Int32, error: String, help: SessionStanding.Help)) async throws {
        for group in [nil, Self.group] {
            let security = FakeSecurity()
            let store = store(security, group: group)
            for call in [FakeSecurity.Call.copy, .update, .delete] { security.answers.withLock { $0[call] = [line.code, line.code] } }
            guard case .unknown(let error) = store.read() else { throw Odd("\(line.code) is not unknown") }
            #expect(error.code.rawValue == line.error && error.message.contains("\(line.code)"))
            #expect(SessionStanding.unknown(error).help == line.help)
            #expect(await code { try store.write(Data()) } == line.error)
            #expect(await code { try store.remove() } == line.error)
        }
    }

    @Test("AP-3 every line of the table of codes is tested")
    func complete() {
        let special: [Int32] = [0, -25_300, -25_299]
        #expect(Set(SecurityStatus.meanings.keys.map(\.rawValue)).subtracting(special).isSubset(of: Self.codes.map(\.code)))
        #expect(special.map { SecurityStatus(rawValue: $0).meaning } == [.done, .absent, .again])
    }

    @Test("APP-12 AP-3 an item that appears between update and add (-25299) is updated, and one that never settles is an error")
    func duplicate() async throws {
        let security = FakeSecurity()
        let store = store(security)
        let key = FakeSecurity.Key(service: "org.example.app", account: "farewell session", group: FakeSecurity.ownGroup)
        security.meanwhile.withLock { $0[.add] = { other in other.items.withLock { $0[key] = Data("theirs".utf8) } } }
        try store.write(Data("mine".utf8))
        #expect(security.calls.withLock { $0 } == [.update, .add, .update])
        guard case .present(let record) = store.read() else { throw Odd("nothing there") }
        #expect(record == Data("mine".utf8))

        security.answers.withLock { $0 = [.update: [-25_300, -25_300, -25_300], .add: [-25_299, -25_299, -25_299]] }
        #expect(await code { try store.write(Data("again".utf8)) } == "device.keychain")
    }

    @Test("APP-10 AP-3 a damaged item (-26275), which no update changes, is replaced by the next sign-in")
    func replacesDamaged() async throws {
        for group in [nil, Self.group] {
            let security = FakeSecurity()
            let store = store(security, group: group)
            try store.write(Data("old".utf8))
            security.answers.withLock { $0 = [.update: [-26_275]] }
            try store.write(Data("new".utf8))
            guard case .present(let record) = store.read() else { throw Odd("nothing there") }
            #expect(record == Data("new".utf8))
        }
    }

    @Test("APP-12 AP-3 naming an access group keeps the session, and the next write moves the item there")
    func movesToGroup() async throws {
        let security = FakeSecurity()
        try store(security).write(Data("before".utf8))
        let grouped = store(security, group: Self.group)
        guard case .present(let found) = grouped.read() else { throw Odd("signed out by an update of the app") }
        #expect(found == Data("before".utf8))
        #expect(security.items.withLock { $0.keys.map(\.group) } == [FakeSecurity.ownGroup], "reading changes nothing")
        try grouped.write(Data("after".utf8))
        #expect(security.items.withLock { $0.keys.map(\.group) } == [Self.group], "no copy is left with tokens in it")
        guard case .present(let moved) = grouped.read() else { throw Odd("lost") }
        #expect(moved == Data("after".utf8))
        // An app that no longer names a group still reads the item in it.
        guard case .present(let back) = store(security).read() else { throw Odd("lost without the group") }
        #expect(back == Data("after".utf8))
        try store(security).write(Data("own".utf8))
        try grouped.remove()
        #expect(security.items.withLock { $0.isEmpty }, "a removal leaves none in any group")
    }

    @Test("APP-12 an unreadable earlier group makes the session unknown, and never absent")
    func earlierGroupLocked() async throws {
        for call in [FakeSecurity.Call.groups, .copy] {
            let security = FakeSecurity()
            try store(security).write(Data("before".utf8))
            security.answers.withLock { $0[call] = call == .copy ? [-25_300, -25_308] : [-25_308] }
            guard case .unknown(let error) = store(security, group: Self.group).read() else { throw Odd("\(call)") }
            #expect(error.code == "device.keychain-locked")
        }
    }
}
