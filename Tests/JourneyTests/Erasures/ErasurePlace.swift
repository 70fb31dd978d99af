// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import FarewellSample
import FarewellSessions
import Foundation
import Logging
import NIOHTTP1
import Testing

/// An app's people in the database of real servers, with a plan for both.
struct ErasurePlace: Sendable {
    let place: ServerPlace
    let people: SamplePeople

    static func with(
        _ dialect: SQLDialect, _ profile: SamplePeople.Profile = .coachme, people count: Int, messagesOfOne: Int = 0,
        on server: String? = nil,
        _ use: (ErasurePlace) async throws -> Void
    ) async throws {
        try await ServerPlace.with(dialect, on: server) { place in
            let made = ErasurePlace(place: place, people: try SamplePeople(profile, people: count, messagesOfOne: messagesOfOne))
            try await made.fill()
            try await use(made)
        }
    }

    /// Settings under which erasures are taken; `more` stands below `erasures:`.
    func settings(_ more: String = "") -> String {
        ServerPlace.generous.replacing("request-timeout: 120", with: "request-timeout: 200")
            + "erasures:\n  plan: plan.yaml\n  second-look: 0\n  recent-sign-in: 86400\n  wait: 180\n"
            + more.split(separator: "\n").map { "  \($0)\n" }.joined()
    }

    /// Accounts' tables, the app's tables and people, and the plan that accounts for all of them.
    private func fill() async throws {
        if place.dialect == .sqlite { try StateFolder.make(place.state) }
        let database = try openDatabase(place.address, sqlite: SQLiteConfiguration(access: .createIfMissing))
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        _ = try await SessionAuthority.open(
            database, settings: AuthoritySettings(issuer: "https://auth.example/auth/v1"), state: place.state.path,
            environment: .live(log: log))
        try await people.make(in: database, examples: ExampleFolder(near: [#filePath]), accounts: .present)
        await database.close()
        let plan = place.folder.appendingPathComponent("plan.yaml")
        let tables = DerivedPlans.Tables(profile: people.profile, dialect: place.dialect, hasAccounts: true)
        let text = try await DerivedPlans.plan(for: tables) {
            try await writePlan()
            return try Data(contentsOf: plan)
        }
        try text.write(to: plan)
    }

    /// Derives the plan by the command and takes the decisions it leaves open.
    private func writePlan() async throws {
        let made = try await place.call(
            ["init", "--database", place.address, "--subject", people.subject(place.dialect).description, "--plan", "plan.yaml"])
        try #require(made.status == 0, "\(made)")
        let decided = try await place.call(["decide", "plan.yaml", "--table", "*", "--answer", "owner"])
        try #require(decided.status == 0, "\(decided)")
        // Where the accounts do not hold an address once, a row with the address has no owner.
        guard decided.output.contains("does not offer this answer") else { return }
        let rest = try await place.call(["decide", "plan.yaml", "--table", "*", "--answer", "not personal"])
        try #require(rest.status == 0, "\(rest)")
    }

    func key(_ index: Int) -> String { people.subjectKey(at: index) }

    /// Signs one of the app's people in, with a password that operators gave them.
    func signIn(_ index: Int, _ server: RunningServer) async throws -> SignedIn {
        let given = try await server.ask(
            .PUT, "/auth/v1/admin/users/\(key(index))", token: server.serviceKey(),
            json: #"{"password":"\#(SignedIn.password)","email_confirm":true}"#)
        try #require(given.status == 200, "\(given)")
        return try await server.signIn(try #require(given.json["email"] as? String))
    }

    func query(_ text: String) async throws -> [[SQLValue]] {
        let database = try openDatabase(place.address)
        let rows = try await database.withConnection { try await $0.run(SQLStatement(text)).rows }
        await database.close()
        return rows
    }

    /// The compared tables: the app's and the accounts', or the app's alone.
    enum Tables: Sendable { case all, app }

    /// The tables of accounts. The rest of the authority's tables belongs to no user: its keys and versions, and attempts at passwords
    /// under keyed hashes.
    private static let accounts: Set<String> = [
        "users", "identities", "sessions", "provider_credentials", "outgoing_mail", "one_time_codes", "revocations",
    ]
    /// The columns that users' own calls and the readers of the feed change: the last use of a session, the position in the feed. Signing
    /// in changes more; users whose rows are compared do not sign in meanwhile.
    private static let changing: Set<String> = ["last_seen_at", "feed_cursor"]

    /// Every row of the app's tables and of the accounts', but those of some people. Entries of the feed of revocations
    /// count as long as their person is there: those of the erased stay for others to read.
    func rows(
        without indexes: some Sequence<Int>, nor others: [String] = [], of tables: Tables = .all
    ) async throws -> [String] {
        let database = try openDatabase(place.address)
        let gone = indexes.map { key($0).uppercased() } + others.map { $0.uppercased() }
        let accounts = place.dialect == .postgresql ? "auth." : "auth_"
        var lines: [String] = []
        for table in try await Schema.read(from: database).tables {
            let name = "\(table.name)"
            let account = name.hasPrefix(accounts) ? String(name.dropFirst(accounts.count)) : nil
            if let account, tables == .app || !Self.accounts.contains(account) { continue }
            let quoted = place.dialect.qualified(table.name)
            let living = account == "revocations" ? " WHERE subject IN (SELECT id FROM \(accounts)users)" : ""
            let query = SQLStatement("SELECT * FROM \(quoted)\(living)")
            let result = try await database.withConnection { try await $0.run(query) }
            let left = account == nil ? [] : Self.changing
            lines += result.rows.map { row in
                let kept = zip(result.columns, row).filter { !left.contains($0.0) }.map { $0.1.written }
                return "\(name)|\(kept.joined(separator: ", "))"
            }
        }
        await database.close()
        return lines.filter { !Self.isNaming($0, gone) }.sorted()
    }

    /// The rows of the app's tables and of the accounts' that name a user.
    func own(_ index: Int) async throws -> Set<String> {
        // One reading: between two, another user's erasure may delete rows.
        let name = key(index).uppercased()
        return Set(try await rows(without: []).filter { Self.isNaming($0, [name]) })
    }

    /// Whether a row has one of these keys, which are in capitals. Bytes: in a profile of the test run, Foundation's
    /// search of a String took a sixth of the time.
    private static func isNaming(_ row: String, _ keys: [String]) -> Bool {
        let row = Data(row.uppercased().utf8)
        return keys.contains { row.range(of: Data($0.utf8)) != nil }
    }

    /// How many of these rows there are.
    func count(_ index: Int) async throws -> Int {
        try await own(index).count
    }

    /// The numbers of all people, and how they prove who they are.
    func users() async throws -> [[SQLValue]] {
        let prefix = place.dialect == .postgresql ? "auth." : "auth_"
        return try await query("SELECT id FROM \(prefix)users ORDER BY id") + query("SELECT id FROM \(prefix)identities ORDER BY id")
    }

    var control: String { place.dialect == .postgresql ? "farewell." : "farewell_" }
}

/// The folder in which SQLite's file and the keys lie.
private enum StateFolder {
    static func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
