// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellServer
import HTTPTypes
import Testing

/// A system in memory that refuses as long as requested.
private actor Vault: Connector {
    private(set) var people: Set<String> = []
    private var isOpen = true
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func put(_ person: String) { people.insert(person) }
    func close() { isOpen = false }
    func open() { isOpen = true }

    func count(_ request: ConnectorRequest) throws -> Int? { people.intersection(request.names).count }

    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer {
        guard isOpen else { throw ConnectorFault.credentials("vault", needs: "to open it") }
        let there = people.intersection(request.names)
        people.subtract(there)
        return there.isEmpty ? .nothingThere : .erased(there.count)
    }

    func verify(_ request: ConnectorRequest) throws -> ConnectorReading {
        let left = people.intersection(request.names).count
        return left == 0 ? .gone : .left(left)
    }
}

@Suite("DELETE /me/account over several systems")
struct AccountSystemTests {
    @Test(
        "SV-2 an erasure that parked after its last system says what is done and what waits, in every contract's answer",
        arguments: [[:], ["cognito": "identity"]])
    func parkedAtTheEnd(names: [String: String]) async throws {
        try await ErasureMount.with(names: names) { mount in
            let first = try await mount.person()
            #expect(try await mount.ask(.delete, "/me/account", token: first.token).status == 200)
            // The end of another erasure cannot be recorded.
            try await mount.database.withConnection { connection in
                let isEnd = "(replace(entry, 'erasure.done', '') <> entry)"
                _ = try await connection.run(
                    SQLStatement("CREATE UNIQUE INDEX one_end ON farewell_audit (\(isEnd)) WHERE \(isEnd)"))
            }
            let person = try await mount.person()
            for attempt in 1...2 {
                let failed = try await mount.ask(.delete, "/me/account", token: person.token)
                #expect(failed.status == 500 && failed.json["success"] as? Bool == false, "\(attempt): \(failed)")
                let done = names.isEmpty ? "rows" : "cognito"
                #expect(failed.json["details"] as? [String: Bool] == [done: true, "verification": false], "\(failed)")
                #expect(failed.json["state"] as? String == "needs attention", "\(failed)")
                #expect(
                    failed.json["message"] as? String
                        == "Done: \(done). Not yet: verification. An operator looks after it.", "\(failed)")
            }
            #expect(try await mount.rows(of: person).isEmpty)
            let function = try await mount.ask(.post, "/functions/v1/delete-account", token: person.token)
            #expect(function.status == 500 && function.text.contains("erasure.needs-attention"), "\(function)")
        }
    }

    private static let names = ["dynamodb_userprofiles", "dynamodb_entitlements", "stripe", "cognito"]

    @Test("SV-2 when any system fails, the others finish with a report, no account is reported as deleted, and the repeat completes")
    func oneByOne() async throws {
        let vaults = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Vault()) })
        let systems = Self.names.map { name in
            SystemPlan(name: name, kind: "vault", stage: name == "cognito" ? .identity : .first)
        }
        let named = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, $0) })
        try await ErasureMount.with(systems: systems, connectors: vaults, names: named) { mount in
            let neighbour = try await mount.person()
            for vault in vaults.values { await vault.put(neighbour.id) }
            for failing in Self.names {
                let person = try await mount.person()
                for vault in vaults.values { await vault.put(person.id) }
                await vaults[failing]?.close()
                let failed = try await mount.ask(.delete, "/me/account", token: person.token)
                #expect(failed.status == 500, "\(failing): \(failed)")
                #expect(failed.json["success"] as? Bool == false)
                #expect(failed.json["error"] as? String == "Failed to delete user account")
                // The sign-in system is last: until the others are done, the user can ask again.
                let expected = Dictionary(
                    uniqueKeysWithValues: Self.names.map { ($0, $0 != failing && $0 != "cognito") })
                #expect(failed.json["details"] as? [String: Bool] == expected, "\(failing): \(failed)")
                await vaults[failing]?.open()
                let done = try await mount.ask(.delete, "/me/account", token: person.token)
                #expect(done.status == 200, "\(failing): \(done)")
                #expect(done.json["message"] as? String == "User account deleted successfully")
                #expect(done.json["deleted"] as? [String: Bool] == named.mapValues { _ in true })
                for vault in vaults.values { #expect(await vault.people == [neighbour.id]) }
                #expect(try await mount.rows(of: person).isEmpty)
            }
            #expect(try await !mount.rows(of: neighbour).isEmpty)
        }
    }
}
