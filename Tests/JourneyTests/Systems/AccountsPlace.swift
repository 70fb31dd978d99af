// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import Foundation
import NIOHTTP1
import Testing

/// The example `aws` on a real server: its app's own database, its plan with the addresses of the doors, and a key of AWS
/// that may do what `farewell doctor --permissions` says and nothing else.
struct AccountsPlace: Sendable {
    let place: ServerPlace
    let peer: SystemsPeer
    /// The address of the app's database.
    let app: String
    private let isWide: Bool
    private let key: (id: String, secret: String)

    /// The names in answers, and their meaning.
    static let told = ["cognito", "dynamodb_entitlements", "dynamodb_userprofiles", "stripe"]
    static let doors = told + ["photos"]
    static let vendors = ["supabase-auth": "supabase_user", "supabase-storage": "folder", "revenuecat": "purchaser"]

    /// - Parameter isWide: Whether the app's people are with other vendors as well.
    static func with(
        _ dialect: SQLDialect, isWide: Bool = false, _ use: (AccountsPlace) async throws -> Void
    ) async throws {
        let peer = try SystemsPeer.running.get()
        try await ServerPlace.with(dialect) { place in
            let name = "accounts_" + UUID().uuidString.lowercased().replacing("-", with: "_")
            let app =
                dialect == .sqlite
                ? "sqlite:" + place.folder.appendingPathComponent("accounts.sqlite").path
                : try await TestServer.makeDatabase(name)
            do {
                try await make(app, dialect, isWide)
                try write(plan(peer, dialect, isWide), in: place)
                let key = try await restrictedKey(place, peer)
                try await use(AccountsPlace(place: place, peer: peer, app: app, isWide: isWide, key: key))
            } catch {
                if dialect == .postgresql { await TestServer.dropDatabase(name) }
                throw error
            }
            if dialect == .postgresql { await TestServer.dropDatabase(name) }
        }
    }

    private static func make(_ app: String, _ dialect: SQLDialect, _ isWide: Bool) async throws {
        let example = try ExampleFolder(near: [#filePath]).path + "/aws/schema.\(dialect.rawValue).sql"
        let columns = vendors.values.sorted().map { ";\nALTER TABLE accounts ADD COLUMN \($0) text" }
        let script = try String(contentsOfFile: example, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let database = try openDatabase(app, sqlite: SQLiteConfiguration(access: .createIfMissing))
        try await database.withConnection { connection in
            for statement in SQLScript(script.trimmingCharacters(in: [";"]) + (isWide ? columns.joined() : "") + ";").statements {
                _ = try await connection.run(SQLStatement(statement))
            }
        }
        await database.close()
    }

    /// The example's own plan, with addresses.
    private static func plan(_ peer: SystemsPeer, _ dialect: SQLDialect, _ isWide: Bool) throws -> Plan {
        let folder = try ExampleFolder(near: [#filePath]).path
        var plan = try PlanFile.load(path: "\(folder)/aws/farewell.\(dialect.rawValue).yaml")
        for kind in isWide ? vendors.keys.sorted() : [] {
            let column = vendors[kind] ?? ""
            var system = SystemPlan(name: kind, kind: kind, person: .column(ColumnName(plan.subject.table, column)))
            system.secrets["key"] = .environment("VENDOR_KEY")
            switch kind {
            case "supabase-storage": system.settings = ["bucket": "photos", "prefix": "{person}/"]
            case "revenuecat": system.settings["project"] = "proj1"
            default: break
            }
            plan.systems.append(system)
            plan.tables[0].columns.append(.init(column))
        }
        for index in plan.systems.indices {
            let name = plan.systems[index].name
            let path = ["supabase-auth": "/auth/v1", "supabase-storage": "/storage/v1"][name] ?? ""
            plan.systems[index].settings["endpoint"] = try peer.door(name) + path
            if name == "cognito" { plan.systems[index].settings["pool"] = try peer.text("pool") }
        }
        return plan
    }

    private static func write(_ plan: Plan, in place: ServerPlace) throws {
        try Data(PlanFile.text(for: plan).utf8).write(to: place.folder.appendingPathComponent("farewell.yaml"))
    }

    /// A key that may do what the command prints.
    private static func restrictedKey(_ place: ServerPlace, _ peer: SystemsPeer) async throws -> (String, String) {
        let printed = try await place.call(["doctor", "--permissions", "--plan", "farewell.yaml"])
        try #require(printed.status == 0, "\(printed)")
        let key = try await peer.ask(.POST, "/key", body: printed.output)
        return (try #require(key["id"]?.string), try #require(key["secret"]?.string))
    }

    // MARK: Serving

    private var environment: [String: String] {
        get throws {
            [
                "AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret, "STRIPE_KEY": try peer.text("stripe_key"),
                "VENDOR_KEY": try peer.text("vendor_key"),
            ]
        }
    }

    private var settings: String {
        get throws {
            let issuer = "cognito \(try peer.text("pool")) \(try peer.text("client")) keys=\(try peer.text("jwks"))"
            return ServerPlace.generous.replacing("request-timeout: 120", with: "request-timeout: 200") + """
                erasures:
                  plan: farewell.yaml
                  database-url: "\(app)"
                  second-look: 0
                  recent-sign-in: 86400
                  wait: 180
                  concurrency: 1
                  issuers: ["\(issuer)"]
                  systems: [\(Self.told.map { "\($0)=\($0)" }.joined(separator: ", "))]

                """
        }
    }

    func serving(_ use: @Sendable (RunningServer) async throws -> Void) async throws {
        let exports = try environment.map { "export \($0.key)='\($0.value)'" }.sorted().joined(separator: "; ")
        try await place.serving(settings, before: exports, use: use)
    }

    func command(_ words: String...) async throws -> CommandEnd {
        try await place.call(
            words + ["--plan", "farewell.yaml", "--database", app], environment: try environment)
    }

    // MARK: People

    func settle(_ name: String) async throws -> SystemsPeer.Person {
        let person = try await peer.settle(name, isWide: isWide)
        let columns = try await run("SELECT * FROM accounts WHERE 1 = 0").columns.map { column -> String? in
            switch column {
            case "sub": person.sub
            case "stripe_customer": person.customer
            case "created_at": "2026-01-02T03:04:05Z"
            default: Self.vendors.first { $0.value == column }.flatMap { person.vendors[$0.key] }
            }
        }
        let values = columns.map { $0.map { "'\($0)'" } ?? "NULL" }.joined(separator: ", ")
        _ = try await run("INSERT INTO accounts VALUES (\(values))")
        return person
    }

    /// How many rows of the app's database are this person's.
    func rows(of person: SystemsPeer.Person) async throws -> Int64? {
        try await run("SELECT count(*) FROM accounts WHERE sub = '\(person.sub)'").scalar?.integer
    }

    private func run(_ statement: String) async throws -> SQLResult {
        let database = try openDatabase(app)
        let result = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
        await database.close()
        return result
    }
}
