// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("A plan that does not fit is refused before anything is made")
struct ServerPlanTests {
    private static let words = "The plan does not fit the database."

    @Test(
        "a first start makes no keys and no tables where its plan leaves out people and sessions", .timeLimit(.minutes(5)),
        arguments: SQLDialect.allCases)
    func firstStart(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let isPostgreSQL = dialect == .postgresql
            let address = isPostgreSQL ? place.address : "sqlite:" + place.folder.appendingPathComponent("app.sqlite").path
            let app = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
            try await app.withConnection { _ = try await $0.run("CREATE TABLE members (id integer PRIMARY KEY, name text)") }
            let subject = isPostgreSQL ? "public.members.id" : "members.id"
            let made = try await place.call(["init", "--database", address, "--subject", subject, "--plan", "plan.yaml"])
            try #require(made.status == 0, "\(made)")
            let end = try await started(place, "erasures: {plan: plan.yaml}", ["--database-url", address])
            #expect(end.status == 2 && end.errors.contains(Self.words) && end.output.isEmpty, "\(end)")
            #expect(!FileManager.default.fileExists(atPath: place.state.path))
            #expect(try await Schema.read(from: app).tables.map(\.name.name) == ["members"])
            await app.close()
        }
    }

    @Test("no keys are made where the schema is another than the plan's", .timeLimit(.minutes(5)), arguments: SQLDialect.allCases)
    func otherSchema(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            _ = try await place.query("CREATE TABLE strangers (id integer PRIMARY KEY, name text)")
            let arguments = ["--database-url", place.place.address]
            let end = try await started(place.place, place.settings(), arguments)
            #expect(end.status == 2 && end.errors.contains(Self.words) && end.output.isEmpty, "\(end)")
            let other = try await started(place.place, place.settings(), arguments + ["--state", "fresh"])
            #expect(other.status == 2 && other.errors.contains("cannot be opened with the keys"), "\(other)")
            #expect(!FileManager.default.fileExists(atPath: place.place.folder.appendingPathComponent("fresh").path))
        }
    }

    @Test(
        "no keys are made where settings ask for what cannot be", .timeLimit(.minutes(5)),
        arguments: [
            ("apple-events: \"on\"", "apple.client-ids is not given"),
            ("issuers: [firebase one, firebase one]", "An issuer is named twice."),
        ])
    func impossible(_ setting: String, _ words: String) async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            let arguments = ["--database-url", place.place.address, "--state", "fresh"]
            let end = try await started(place.place, place.settings(setting), arguments)
            #expect(end.status == 2 && end.errors.contains(words) && end.output.isEmpty, "\(end)")
            #expect(!FileManager.default.fileExists(atPath: place.place.folder.appendingPathComponent("fresh").path))
        }
    }

    @Test(
        "OP-2 a corrected plan is taken while the server runs, and what was parked for the old one goes on by itself",
        .timeLimit(.minutes(5)), arguments: SQLDialect.allCases)
    func reloaded(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 3) { place in
            let status = try await place.place.serving(place.settings()) { server in
                let fields = ["Idempotency-Key": "k", "Prefer": "wait=180"]
                let (first, second) = (try await place.signIn(1, server), try await place.signIn(2, server))
                let messages = dialect == .postgresql ? "public.messages" : "messages"
                _ = try await place.query("ALTER TABLE \(messages) ADD COLUMN mood text")
                server.signal(SIGHUP)
                try await eventually { try log(place).contains("Plan not reloaded, the old one stays") }
                let parked = try await server.ask(.POST, "/v1/erasures", token: first.access, headers: fields)
                #expect(parked.status == 202 && parked.json["state"] as? String == "needs attention", "\(parked)")

                try await follow(place)
                try await eventually { try log(place).contains("Plan reloaded") }
                let done = try await server.ask(.POST, "/v1/erasures", token: second.access, headers: fields)
                #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
                #expect(try await place.count(2) == 0)
                // The one that was parked goes on by itself.
                try await eventually { try await place.count(1) == 0 }
            }
            #expect(status == 0)
        }
    }

    private func log(_ place: ErasurePlace) throws -> String { try String(contentsOf: place.place.log, encoding: .utf8) }

    /// Has the plan follow the schema, which has a column more.
    private func follow(_ place: ErasurePlace) async throws {
        let database = try openDatabase(place.place.address)
        let schema = try await Schema.read(from: database)
        await database.close()
        let file = place.place.folder.appendingPathComponent("plan.yaml")
        let fingerprint = try PlanFile.load(path: file.path).fingerprint(of: schema)
        let plan = try String(contentsOf: file, encoding: .utf8).replacing("token_count,", with: "token_count, mood,")
            .replacing(#/schema: "(v2:)?sha256:[0-9a-f]+"/#, with: "schema: \"\(fingerprint)\"")
        try Data(plan.utf8).write(to: file, options: .atomic)
    }

    private func started(_ place: ServerPlace, _ settings: String, _ arguments: [String]) async throws -> CommandEnd {
        try Data(settings.utf8).write(to: place.folder.appendingPathComponent("settings.yaml"))
        return try await place.call(["serve", "--port", "0", "--settings", "settings.yaml"] + arguments)
    }
}
