// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The repair of the ledger's two copies")
struct LedgerAgreementTests {
    static let tables = """
        CREATE TABLE people (id text PRIMARY KEY, email text);
        INSERT INTO people VALUES ('1', 'one@example.org'), ('2', 'two@example.org'), ('3', 'three@example.org'), \
        ('4', 'four@example.org'), ('5', 'five@example.org');
        """

    private func file(_ fixture: EngineFixture) throws -> Data { try Data(contentsOf: url(fixture)) }
    private func url(_ fixture: EngineFixture) -> URL { URL(fileURLWithPath: fixture.state + "/ledger.jsonl") }

    private func write(_ data: Data, _ fixture: EngineFixture) throws {
        let file = try FileHandle(forWritingTo: url(fixture))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }

    private func inDatabase(_ fixture: EngineFixture) async throws -> String {
        try await fixture.rows("SELECT count(*) FROM \(fixture.control("ledger"))").first ?? ""
    }

    /// The ways in which the file can be yesterday's, emptied or lost.
    enum Loss: String, CaseIterable, Sendable { case shorter, empty, missing }

    @Test(
        "OP-4 OPS-03 the database restores lost entries of the file, marked, and every erased subject is known after a restore",
        arguments: SQLDialect.allCases, Loss.allCases)
    func fileLost(_ dialect: SQLDialect, _ loss: Loss) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            let yesterday = try file(fixture)
            #expect(try await engine.erase(["2", "3"]).map(\.word) == ["done", "done"])
            switch loss {
            case .shorter: try write(yesterday, fixture)
            case .empty: try write(Data(), fixture)
            case .missing: try FileManager.default.removeItem(at: url(fixture))
            }
            let lost = loss == .shorter ? 2 : 3
            let looked = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(looked.missingInFile == lost && looked.file == 3 - lost && looked.database == 3)
            let again = try await fixture.engine()
            #expect(fixture.log.lines.contains { $0.contains("had lost erasures") })
            if loss == .shorter { #expect(try file(fixture).starts(with: yesterday), "appended, not inserted") }
            let text = String(decoding: try file(fixture), as: UTF8.self)
            #expect(text.split(separator: "\n").count { $0.contains("\"mark\":\"restored\"") } == lost)
            let after = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(after.missingInFile == 0 && after.file == 3 && after.restoredLines == lost && after.conflicting == 0)
            // The database goes back to before everything: the file alone knows.
            for table in ["erasures", "ledger", "audit", "installation"] {
                try await fixture.run("DELETE FROM \(fixture.control(table))")
            }
            try await fixture.run(
                "INSERT INTO people VALUES ('1', 'one@example.org'), ('2', 'two@example.org'), ('3', 'three@example.org')")
            let returned = try await fixture.engine().findReturned()
            #expect(returned.certain.sorted() == ["1", "2", "3"] && returned.unconfirmed.isEmpty)
            #expect(try await inDatabase(fixture) == "3", "and the database has its copy again")
            _ = again
        }
    }

    @Test("OP-4 OPS-03 after a cut of the file the numbers of its copies add up", arguments: SQLDialect.allCases)
    func cut(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            for key in ["1", "2", "3"] { #expect(try await engine.erase([key]).map(\.word) == ["done"]) }
            let lines = String(decoding: try file(fixture), as: UTF8.self).split(separator: "\n")
            let entries = lines.indices.filter { lines[$0].contains("\"entry\"") }
            let kept = lines[...(try #require(entries.dropFirst().first))].joined(separator: "\n") + "\n"
            try write(Data(kept.utf8), fixture)
            let looked = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(looked.database == 3 && looked.missingInFile == 1 && looked.openInFile > 0)
            #expect(looked.file + looked.missingInFile + looked.openInFile == looked.database)
            _ = try await fixture.engine()
            let after = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(after.file == 3 && after.openInFile == 0 && after.missingInFile == 0)
        }
    }

    @Test("OP-4 OPS-03 repeated openings restore nothing more", arguments: SQLDialect.allCases)
    func restoredOnce(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine().erase(["1", "2"])
            try write(Data(), fixture)
            // Two processes at the same moment.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await fixture.engine() } }
                try await group.waitForAll()
            }
            let once = try file(fixture)
            _ = try await fixture.engine()
            #expect(try file(fixture) == once)
            #expect(String(decoding: once, as: UTF8.self).split(separator: "\n").count == 2)
        }
    }

    @Test("OP-4 OPS-03 when each copy lacks entries of the other, the repair completes both", arguments: SQLDialect.allCases)
    func diverged(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await engine.erase(["1"])
            let yesterday = try file(fixture)
            _ = try await engine.erase(["2"])
            // One each: their numbers are the same, and yet they differ.
            try await fixture.run("DELETE FROM \(fixture.control("ledger"))")
            _ = try await fixture.engine()
            #expect(try await inDatabase(fixture) == "2")
            let key = try engine.subjectHash(of: "1").rawValue
            try await fixture.run("DELETE FROM \(fixture.control("ledger")) WHERE subject_hash = '\(key)'")
            try write(yesterday, fixture)
            let looked = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(looked.file == 1 && looked.database == 1)
            _ = try await fixture.engine()
            let after = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(after.file == 2 && after.database == 2 && after.missingInFile + after.missingInDatabase == 0)
        }
    }

    @Test(
        "OP-4 OPS-03 contradictory entries and forged entries are reported and stay unchanged",
        arguments: SQLDialect.allCases)
    func conflicting(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            _ = try await fixture.engine().erase(["1", "2"])
            let table = fixture.control("ledger")
            let before = try file(fixture)
            try await fixture.run("UPDATE \(table) SET entry = replace(entry, '\"erasedAt\":\"20', '\"erasedAt\":\"19')")
            let looked = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state))
            #expect(looked.conflicting == 2 && looked.missingInFile == 0)
            _ = try await fixture.engine()
            #expect(fixture.log.lines.contains { $0.contains("conflict on some erasures") })
            #expect(try file(fixture) == before)
            for hostile in ["", "{}", "[", String(repeating: "x", count: 100_000), "{\"erasedAt\":1}"] {
                try await fixture.run("UPDATE \(table) SET entry = '\(hostile)'")
                _ = try await fixture.engine()
                #expect(try file(fixture) == before)
            }
        }
    }

    @Test(
        "OP-4 nothing is erased with a broken ledger, and once the file is restored the same engine continues",
        arguments: SQLDialect.allCases)
    func broken(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await engine.erase(["1"])
            let good = try file(fixture)
            var bad = good
            bad[100] ^= 1
            try write(bad, fixture)
            #expect(await code { _ = try await fixture.engine() } == "ledger.tampered")
            #expect(
                await code { _ = try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state) } == "ledger.tampered")
            // A process that was there before finds it when it is to write.
            let outcome = try await engine.erase(["2"])
            #expect(outcome.map(\.word) == ["parked"])
            #expect(try file(fixture) == bad)
            #expect(try await fixture.rows("SELECT count(*) FROM people WHERE id = '2'") == ["1"], "no row is deleted")
            try write(good, fixture)
            let parked = try #require(try await fixture.engine().statuses(ofSubject: "2").first)
            #expect(parked.erasure.sealed != nil, "its data is kept")
            #expect(try await fixture.engine().release(parked.erasure.id).map(\.word) == ["done"])
            #expect(try await inDatabase(fixture) == "2")
        }
    }

    @Test("OP-4 no entry is appended to a broken audit log, and no erasure runs meanwhile", arguments: SQLDialect.allCases)
    func brokenAudit(_ dialect: SQLDialect) async throws {
        let damages = [
            "UPDATE {audit} SET entry = replace(entry, 'engine', 'nobody') WHERE sequence = 2",
            "UPDATE {audit} SET hash = '\(String(repeating: "0", count: 64))' WHERE sequence = 2",
            "UPDATE {audit} SET entry = 'x' WHERE sequence = 2", "DELETE FROM {audit} WHERE sequence = 1",
            "UPDATE {audit} SET hash = '\(String(repeating: "0", count: 64))' WHERE sequence = 1",
        ]
        for damage in damages {
            try await EngineFixture.with(dialect, Self.tables) { fixture in
                _ = try await fixture.engine().erase(["1"])
                try await fixture.run(damage.replacing("{audit}", with: fixture.control("audit")))
                let audit = try await fixture.rows("SELECT * FROM \(fixture.control("audit"))")
                #expect(await code { _ = try await fixture.engine().erase(["2"]) } == "audit.broken", "\(damage)")
                #expect(try await fixture.rows("SELECT * FROM \(fixture.control("audit"))") == audit)
                #expect(try await fixture.count("people") == 4)
            }
        }
    }

    @Test("OP-4 OPS-03 a long ledger is compared by its numbers, and missing entries are still found", arguments: SQLDialect.allCases)
    func long(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await engine.erase(["1"])
            let entries = (0..<2_000).map { number in
                LedgerEntry(
                    subject: SubjectHash(rawValue: "subject-\(number)"), incarnation: "first", erasedAt: fixture.clock.now,
                    receipt: UUID())
            }
            try engine.ledger.append(entries, .restored)
            let filled = try await fixture.engine().reconcileLedger()
            #expect(filled?.file == 2_001 && filled?.restoredLines == nil, "by its numbers")
            #expect(try await inDatabase(fixture) == "2001")
            _ = try await engine.erase(["2"])
            let grown = try await fixture.engine().reconcileLedger()
            #expect(grown?.file == 2_002 && grown?.restoredLines == nil)
            let receipt = entries[1_000].receipt.text
            try await fixture.run("DELETE FROM \(fixture.control("ledger")) WHERE receipt = '\(receipt)'")
            _ = try await fixture.engine()
            #expect(try await inDatabase(fixture) == "2002")
            // As many as before, and yet another one.
            try await fixture.run("UPDATE \(fixture.control("ledger")) SET receipt = '\(UUID().text)' WHERE receipt = '\(receipt)'")
            _ = try await fixture.engine()
            #expect(try await inDatabase(fixture) == "2003", "the one that was missing is there again")
        }
    }

    @Test("OP-4 OPS-03 a reader of SQLite's file without write access checks it, and restores nothing")
    func readOnly() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            _ = try await fixture.engine().erase(["1"])
            try write(Data(), fixture)
            let reading = try SQLiteDatabase(
                path: fixture.address, configuration: SQLiteConfiguration(access: .readOnly))
            let looked = try #require(try await ErasureEngine.ledgerAgreement(in: reading, state: fixture.state))
            #expect(looked.missingInFile == 1)
            let quick = try #require(
                try await ErasureEngine.ledgerAgreement(in: reading, state: fixture.state, isWhole: false))
            #expect(quick.missingInFile == 1)
            #expect(try file(fixture).isEmpty)
            await reading.close()
        }
    }
}
