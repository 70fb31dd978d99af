// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Supabase Auth as a system of a plan: the contract as Farewell itself serves it")
struct SupabaseSystemTests {
    private static func connector(
        _ server: RunningServer, _ key: String, delete: String, _ world: ConnectorWorld
    ) throws -> any Connector {
        var system = SystemPlan(name: "auth", kind: "supabase-auth", stage: .identity)
        system.settings = ["endpoint": server.auth, "delete": delete]
        system.secrets["key"] = .environment("SERVICE_KEY")
        let plan = Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system])
        return try #require(try ConnectorKinds.connectors(of: plan, world: world)["auth"])
    }

    @Test(
        "SV-8 AD-8 hard and soft: the contract itself reports the user as gone, their sessions too, and no other user",
        arguments: SQLDialect.allCases, ["hard", "soft"])
    func deleted(_ dialect: SQLDialect, _ delete: String) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let world = ConnectorWorld.live(environment: ["SERVICE_KEY": try server.serviceKey()])
                let connector = try Self.connector(server, try server.serviceKey(), delete: delete, world)
                let (person, neighbour) = (try await server.person(), try await server.person())
                let id = try await Self.id(of: person, server)
                let request = ConnectorRequest(key: "run/auth", names: [id])
                #expect(try await connector.count(request) == 1)
                #expect(try await connector.verify(request) == .left(1))
                #expect(try await connector.erase(request) == .erased(1))
                #expect(try await connector.verify(request) == .gone)
                #expect(try await connector.count(request) == 0)
                _ = try await connector.erase(request)
                #expect(try await connector.verify(request) == .gone)

                #expect(try await !server.isAccepted(person.access))
                #expect(try await server.refresh(person.refresh).status == 400)
                #expect(try await server.isAccepted(neighbour.access))
                let again = try await server.person(person.email)
                #expect(try await Self.id(of: again, server) != id)
                let rows = try await Self.run(
                    place.address, "SELECT email FROM \(Self.users(dialect)) WHERE id = '\(id)'"
                ).rows
                #expect(rows.count == (delete == "soft" ? 1 : 0) && !"\(rows)".contains(person.email), "\(rows)")

                let stranger = ConnectorWorld.live(environment: ["SERVICE_KEY": "another"])
                let refused = try Self.connector(server, "another", delete: delete, stranger)
                await #expect(throws: ConnectorFault.credentials("auth", needs: "service_role: auth admin")) {
                    try await refused.erase(ConnectorRequest(key: "run/auth", names: [try await Self.id(of: neighbour, server)]))
                }
                try await world.close()
                try await stranger.close()
            }
        }
    }

    @Test(
        "a key of the app's tables that still names the user is given as the cause; once fixed and released, the run ends",
        arguments: SQLDialect.allCases)
    func held(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let world = ConnectorWorld.live(environment: ["SERVICE_KEY": try server.serviceKey()])
                let connector = try Self.connector(server, try server.serviceKey(), delete: "hard", world)
                let person = try await server.person()
                let id = try await Self.id(of: person, server)
                let type = dialect == .postgresql ? "uuid" : "text"
                _ = try await Self.run(
                    place.address,
                    "CREATE TABLE profiles (owner \(type) NOT NULL CONSTRAINT profiles_owner REFERENCES \(Self.users(dialect)) (id))")
                _ = try await Self.run(place.address, "INSERT INTO profiles VALUES ('\(id)')")
                let request = ConnectorRequest(key: "run/auth", names: [id])
                do {
                    _ = try await connector.erase(request)
                    Issue.record("A user whom rows refer to was said to be gone.")
                } catch let fault as ConnectorFault {
                    #expect(fault.error.code == "connector.refused" && fault.error.message.contains("constraint"), "\(fault)")
                }
                #expect(try await connector.verify(request) == .left(1))
                _ = try await Self.run(place.address, "DELETE FROM profiles")
                #expect(try await connector.erase(request) == .erased(1))
                #expect(try await connector.verify(request) == .gone)
                try await world.close()
            }
        }
    }

    @Test(
        "BX-2 SV-8 rows by the address of their database, then the user by another server: counted, erased, read back",
        arguments: SQLDialect.allCases)
    func journey(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { app in
            try await ServerPlace.with(.sqlite) { place in
                try await place.serving { server in
                    let (person, neighbour) = (try await server.person(), try await server.person())
                    let ids = [try await Self.id(of: person, server), try await Self.id(of: neighbour, server)]
                    let address =
                        dialect == .postgresql ? app.address : "sqlite:" + app.folder.appendingPathComponent("app.sqlite").path
                    _ = try await Self.run(address, "CREATE TABLE profiles (owner text PRIMARY KEY NOT NULL, name text)")
                    for id in ids { _ = try await Self.run(address, "INSERT INTO profiles VALUES ('\(id)', 'n')") }
                    let table = dialect == .postgresql ? "public.profiles" : "profiles"
                    let plan = """
                        farewell: 1
                        subject: {table: \(table), key: owner}
                        tables:
                          \(table): {rule: erase, columns: [owner, name]}
                        systems:
                          auth:
                            kind: supabase-auth
                            stage: identity
                            settings: {endpoint: "\(server.auth)"}
                            secrets: {key: {environment: SERVICE_KEY}}
                        """
                    try Data(plan.utf8).write(to: app.folder.appendingPathComponent("farewell.yaml"))
                    let key = try server.serviceKey()
                    func call(_ words: String...) async throws -> CommandEnd {
                        try await app.call(words + ["--database", address], environment: ["SERVICE_KEY": key])
                    }
                    let preview = try await call("preview", "--subject", ids[0], "--json")
                    #expect(preview.objects.first?["erased"] as? Int == 2, "\(preview)")
                    let erased = try await call("erase", "--subject", ids[0], "--yes")
                    #expect(erased.status == 0, "\(erased)")
                    let verified = try await call("verify", "--subject", ids[0])
                    #expect(verified.status == 0 && verified.output.contains("2 planned places"), "\(verified)")
                    #expect(try await !server.isAccepted(person.access))
                    #expect(try await server.isAccepted(neighbour.access))
                    let other = try await call("verify", "--subject", ids[1], "--json")
                    #expect(other.objects.first?["left"] as? [String: Int] == ["auth": 1, table: 1], "\(other)")
                }
            }
        }
    }

    private static func users(_ dialect: SQLDialect) -> String { dialect == .postgresql ? "auth.users" : "auth_users" }

    private static func id(of person: SignedIn, _ server: RunningServer) async throws -> String {
        let user = try await server.ask(.GET, "/auth/v1/user", token: person.access)
        return try #require(user.json["id"] as? String, "\(user)")
    }

    private static func run(_ address: String, _ statement: String) async throws -> SQLResult {
        let database = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
        let result = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
        await database.close()
        return result
    }
}
