// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
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
            let arguments = ["--database-url", place.place.address, "--state", "fresh"]
            let end = try await started(place.place, place.settings(), arguments)
            #expect(end.status == 2 && end.errors.contains(Self.words) && end.output.isEmpty, "\(end)")
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

    private func started(_ place: ServerPlace, _ settings: String, _ arguments: [String]) async throws -> CommandEnd {
        try Data(settings.utf8).write(to: place.folder.appendingPathComponent("settings.yaml"))
        return try await place.call(["serve", "--port", "0", "--settings", "settings.yaml"] + arguments)
    }
}
