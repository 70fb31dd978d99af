// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

/// `Tests/Releases` holds what each release wrote (`Scripts/record-release`). Every later version reads it and continues.
@Suite("Upgrades from each release")
struct ReleaseUpgradeTests {
    @Test("PK-2 release 0.1.0 and its candidate are recorded on each database", arguments: ["0.1.0-rc.1", "0.1.0"])
    func recorded(_ release: String) {
        #expect(RecordedRelease.all.contains(release))
        for dialect in SQLDialect.allCases { #expect(RecordedRelease(release, dialect).isComplete, "\(dialect)") }
    }

    @Test("PK-2 between two releases the version ends in -dev; at a release it is the newest entry of CHANGELOG.md")
    func version() throws {
        let changes = try String(contentsOfFile: Python.root + "/CHANGELOG.md", encoding: .utf8)
        let newest = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
        let isReleased = newest.hasPrefix("## \(FarewellVersion.current) ")
        #expect(isReleased || newest == "## Unreleased" && FarewellVersion.current.hasSuffix("-dev"), "\(newest)")
    }

    @Test(
        "PK-2 this version reads a release's database, state directory, plan and receipts, and finishes its parked erasure",
        arguments: RecordedRelease.all, SQLDialect.allCases)
    func erasures(_ release: String, _ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let recorded = RecordedRelease(release, dialect)
            try await recorded.restore("app", to: place)
            func farewell(_ words: String...) async throws -> CommandEnd {
                try await place.call(words, environment: ["FAREWELL_DATABASE_URL": place.address])
            }
            func expectDone(_ words: String...) async throws {
                let end = try await place.call(words, environment: ["FAREWELL_DATABASE_URL": place.address])
                #expect(end.status == 0, "\(words): \(end)")
            }

            // The erasures that the release finished: the receipt under the keys that it published, the audit log, the erased rows.
            let receipts = try Self.receipts(of: place)
            #expect(receipts.count == 1)
            let receipt = try #require(receipts.first)
            try await expectDone("receipt", "verify", receipt, "--keys", "keys.json")
            try await expectDone("verify", "--audit")
            try await expectDone("verify", "--subject", "account-ann", "--deep")
            try await expectDone("check")

            // The erasure that it parked: the cause is removed, the plan follows the schema, and the erasure continues.
            let status = try await farewell("status", "--json")
            let parked = try #require(try Self.parked(in: status), "\(status)")
            for statement in recorded.removalOfRefusal { try await Self.run(statement, in: place) }
            try await expectDone("check", "--accept")
            try await expectDone("erase", "--release", parked)

            // The recorded mark of the clock is old. A further erasure begins the retention of an invoice.
            try await expectDone("doctor", "--confirm-clock")
            try await expectDone("erase", "--subject", "account-ben", "--yes")
            try await expectDone("reerase", "--dry-run")
            try await expectDone("verify", "--audit")
            #expect(try Self.receipts(of: place).count == 3)
            #expect(try await Self.run("SELECT id FROM accounts ORDER BY id", in: place) == [[.text("account-eve")]])
            let kept = "SELECT id FROM invoices WHERE account_id IS NULL ORDER BY id"
            #expect(try await Self.run(kept, in: place) == [[.integer(1)], [.integer(2)]])
            try await Self.expectDocumented(.control, in: place)
        }
    }

    @Test(
        "PK-2 users of a release's server sign in with their former password",
        arguments: RecordedRelease.all, SQLDialect.allCases)
    func sessions(_ release: String, _ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await RecordedRelease(release, dialect).restore("server", to: place)
            let status = try await place.serving { server in
                let rita = try await server.signIn("rita@example.org")
                #expect(try await server.ask(.GET, "/auth/v1/user", token: rita.access).status == 200)
            }
            #expect(status == 0)
            try await Self.expectDocumented(.sessions, in: place)
        }
    }

    /// docs/install.md tells which release made which version of a store; refusals name the version.
    private static func expectDocumented(_ store: ServerNewerDatabaseTests.Store, in place: ServerPlace) async throws {
        let page = try String(contentsOfFile: Python.root + "/docs/install.md", encoding: .utf8)
        let versions = [FarewellVersion.current, "unreleased"].map { "| \($0) |" }
        let row = try #require(page.split(separator: "\n").last { line in versions.contains { line.hasPrefix($0) } })
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(cells.count == 3, "\(row)")
        let version = try await run("SELECT max(version) FROM \(store.migrations(place.dialect))", in: place).first?.first
        #expect(version?.integer == Int64(store == .control ? cells[1] : cells[2]))
    }

    /// The receipts in the state directory, as paths from the place's folder.
    private static func receipts(of place: ServerPlace) throws -> [String] {
        let folder = place.state.appendingPathComponent("receipts").path
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jws") }
            .map { ".farewell/receipts/" + $0 }
    }

    /// The erasure that needs attention.
    private static func parked(in status: CommandEnd) throws -> String? {
        let erasures = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [[String: Any]]
        return erasures?.first { $0["state"] as? String == "needs attention" }?["erasure"] as? String
    }

    @discardableResult
    private static func run(_ text: String, in place: ServerPlace) async throws -> [[SQLValue]] {
        let database = try openDatabase(place.address)
        let rows = try await database.withConnection { try await $0.run(SQLStatement(text)).rows }
        await database.close()
        return rows
    }
}
