// SPDX-License-Identifier: Apache-2.0

import Farewell
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
    private static let names = ["dynamodb_userprofiles", "dynamodb_entitlements", "stripe", "cognito"]

    @Test("SV-2 when any system fails, the others finish with a report, no account is reported gone, and the repeat completes")
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
