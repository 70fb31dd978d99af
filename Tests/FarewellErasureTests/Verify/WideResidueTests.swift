// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import GRDB
import TestFixtures
import Testing

@Suite("The bytes of a SQLite file that holds texts in UTF-16")
struct WideResidueTests {
    private static let tables = [
        "CREATE TABLE people (id integer PRIMARY KEY, email text)", "CREATE TABLE copies (n integer, body blob)",
        "INSERT INTO people VALUES (1, 'widecanary@example.org'), (2, 'neighbour@example.org')",
    ]

    /// The receipt of an erasure in a file of this encoding, with or without a copy of the address that is left.
    private func receipt(_ encoding: String, copied: Bool) async throws -> Receipt {
        var found: Receipt?
        try await EngineFixture.with(.sqlite, Self.tables.joined(separator: "; ")) { fixture in
            let path = fixture.folder + "/wide.sqlite"
            var configuration = GRDB.Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA encoding = '\(encoding)'") }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try await queue.write { db in
                for statement in Self.tables { try db.execute(sql: statement) }
                if copied { try db.execute(sql: "INSERT INTO copies SELECT 1, CAST(email AS blob) FROM people WHERE id = 1") }
            }
            try queue.close()
            let wide = try SQLiteDatabase(path: path)
            #expect(try await wide.withConnection { try await $0.run("PRAGMA encoding").scalar?.text } == encoding)
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { $0.set("copies", .notPersonal) }
            found = try await fixture.engine(plan, on: wide).erase(["1"]).first?.receipt
            await wide.close()
        }
        return try #require(found)
    }

    @Test("BX-5 an address that remains in a UTF-16 file is found in the file's bytes", arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func found(_ encoding: String) async throws {
        let left = try await receipt(encoding, copied: true)
        #expect(left.verification.residue.state == .scrubbedAndScanned)
        #expect(left.verification.residue.occurrences >= 1 && !left.isComplete, "\(left.verification)")
        let gone = try await receipt(encoding, copied: false)
        #expect(gone.verification.residue.occurrences == 0 && gone.isComplete, "\(gone.verification)")
    }
}
