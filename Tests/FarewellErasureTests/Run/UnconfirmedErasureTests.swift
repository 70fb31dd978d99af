// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An erasure that began and never committed")
struct UnconfirmedErasureTests {
    /// The entry that an erasure of a subject would write.
    private func entry(of key: String, _ engine: ErasureEngine) async throws -> LedgerEntry {
        let value = SQLValue.text(key)
        let subject = try #require(
            try await engine.database.readOnly { connection in
                try await SubjectResolver(prepared: engine.prepared).resolve([value], on: connection)[value]
            })
        return LedgerEntry(
            subject: try engine.subjectHash(of: key),
            incarnation: engine.context(ErasureOptions()).incarnation(of: subject),
            erasedAt: engine.environment.now(), receipt: UUID())
    }

    @Test(
        "OP-4 OPS-01 an entry without a committed erasure leaves the subject unconfirmed; a committed erasure is certain",
        arguments: SQLDialect.allCases)
    func unconfirmed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await engine.erase(["1"])
            // The machine died just after the ledger's line was written.
            try engine.ledger.append([try await entry(of: "2", engine)], .begun)
            let found = try await fixture.engine().findReturned()
            #expect(found.certain.isEmpty && found.doubtful.isEmpty && found.unconfirmed == ["2"])
            #expect(found.known == 1)
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("ledger"))") == ["1"])
            // A restore brings the row back, and the record of the erasure is lost.
            try await fixture.run("DELETE FROM \(fixture.control("erasures"))")
            try await fixture.run("INSERT INTO people VALUES ('1', 'one@example.org')")
            let back = try await fixture.engine().findReturned()
            #expect(back.certain == ["1"] && back.unconfirmed == ["2"])
            let open = try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state)
            #expect(open?.unconfirmed == 1)
            #expect(try await engine.erase(back.unconfirmed).map(\.word) == ["done"])
            #expect(try await fixture.engine().findReturned().unconfirmed.isEmpty)
            let settled = try await ErasureEngine.ledgerAgreement(in: fixture.database, state: fixture.state)
            #expect(settled?.unconfirmed == 0, "the doctor's remedy ends its warning")
        }
    }

    @Test(
        "OP-4 OPS-01 a lost confirmation is written again from the database, or from the receipt's file",
        arguments: SQLDialect.allCases, [false, true])
    func lostConfirmation(_ dialect: SQLDialect, _ hasReceipt: Bool) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            let engine = try await fixture.engine()
            let outcome = try await engine.erase(["1"])
            let url = URL(fileURLWithPath: fixture.state + "/ledger.jsonl")
            let lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
            #expect(lines.count == 2)
            try FileManager.default.removeItem(at: url)
            try (lines[0] + Data("\n".utf8)).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            if hasReceipt {
                // The database is gone as well, and its back-up knows nothing.
                try await fixture.run("DELETE FROM \(fixture.control("ledger"))")
                guard case .done(let receipt, let signed) = outcome[0] else { return }
                try FileManager.default.createDirectory(atPath: fixture.state + "/receipts", withIntermediateDirectories: true)
                try Data(signed.utf8).write(to: URL(fileURLWithPath: "\(fixture.state)/receipts/\(receipt.id.text).jws"))
            }
            try await fixture.run("DELETE FROM \(fixture.control("erasures"))")
            try await fixture.run("INSERT INTO people VALUES ('1', 'one@example.org')")
            let found = try await fixture.engine().findReturned()
            #expect(found.certain == ["1"] && found.unconfirmed.isEmpty)
            #expect(try Data(contentsOf: url).split(separator: UInt8(ascii: "\n")).count == 2)
        }
    }
}
