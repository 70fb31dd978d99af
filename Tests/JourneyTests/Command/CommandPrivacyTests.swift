// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("No data of the subject remains in the command's output")
struct CommandPrivacyTests {
    @Test(
        "BX-6 logs, output, control store, receipts and audit log hold no identifier of erased subjects",
        arguments: SQLDialect.allCases)
    func canaries(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let canary = "Kanarienvogel\(UInt32.random(in: .min ... .max))"
            let users = place.table("auth_users")
            let names = "email = '\(canary)@example.org', phone = '+49 \(canary)'"
            _ = try await place.query("UPDATE \(users) SET \(names) WHERE id = '\(place.person)'")
            let identifiers = place.people.identifiers(at: place.people.exampleIndex) + [canary, place.person]
            try Data(identifiers.joined(separator: "\n").utf8).write(to: place.folder.appendingPathComponent("names"))

            var written = ""
            for arguments in [
                ["check", "--sample"], ["erase", "--yes", "--deep", "--subject", place.person],
                ["erase", "--yes", "--subject", place.person],
                ["verify", "--deep", "--identifier-file", "names", "--subject", place.person],
                ["status"], ["status", "--json"], ["receipt", "show"], ["receipt", "show", "--json"],
                ["receipt", "page"],
                ["receipt", "verify"], ["audit", "export"], ["audit", "head"], ["verify", "--audit"], ["doctor"],
                ["reerase", "--yes"],
            ] {
                let isQuiet = ["receipt", "audit"].contains(arguments[0])
                let end = try await place.call(arguments + (isQuiet ? [] : ["--verbose"]))
                #expect(end.status == 0, "\(arguments): \(end)")
                written += end.description
            }
            try FileManager.default.removeItem(at: place.folder.appendingPathComponent("names"))
            let onDisk = try files(of: place).map { ($0.lastPathComponent, try Data(contentsOf: $0)) }
            let control = try await controlStore(place)
            for identifier in identifiers {
                let wanted = identifier.lowercased()
                #expect(!written.lowercased().contains(wanted), "in the output")
                for (name, bytes) in onDisk {
                    let isFound = holds(bytes, wanted)
                    #expect(!isFound, "in \(name)")
                }
                let isKept = control.contains { $0.lowercased().contains(wanted) }
                #expect(!isKept, "in the control store")
            }
        }
    }

    @Test("an interrupted erasure keeps its subject sealed, and no identifier in the clear")
    func sealed() async throws {
        try await CommandPlace.with(.postgresql, people: 4, messagesOfOne: 22_000) { place in
            let subject = place.people.subjectKey(at: 0)
            let status = try await place.inTheMiddle(of: ["erase", "--subject", subject, "--yes", "--json"]) {
                execution in
                try execution.send(signal: .kill)
            }
            #expect(status == 137)
            let rows = try await controlStore(place)
            for identifier in place.people.identifiers(at: 0) + [subject] {
                #expect(rows.allSatisfy { !$0.lowercased().contains(identifier.lowercased()) })
            }
            #expect(try await place.farewell("erase", "--resume").status == 0)
        }
    }

    /// Everything on disk: the state directory and, for SQLite, the database with its log.
    private func files(of place: CommandPlace) throws -> [URL] {
        let names = FileManager.default.enumerator(at: place.folder, includingPropertiesForKeys: [.isRegularFileKey])
        let files = try #require(names?.allObjects as? [URL])
        return files.filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
    }

    /// Every row of the control store: whatever tables it has, those of tomorrow as well.
    private func controlStore(_ place: CommandPlace) async throws -> [String] {
        let catalog =
            place.dialect == .postgresql
            ? "SELECT 'farewell.' || tablename FROM pg_catalog.pg_tables WHERE schemaname = 'farewell'"
            : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'farewell_*'"
        let tables = try await place.query(catalog).compactMap { $0.first?.text }
        #expect(tables.count >= ControlTables.names.count)
        var lines: [String] = []
        for table in tables {
            lines += try await place.query("SELECT * FROM \(table)").map { row in
                row.map { value in
                    if case .bytes(let bytes) = value { return String(decoding: bytes, as: UTF8.self) }
                    return value.text ?? "\(value)"
                }.joined(separator: "|")
            }
        }
        #expect(!lines.isEmpty)
        return lines
    }

    private func holds(_ bytes: Data, _ text: String) -> Bool {
        let lowered = Data(bytes.map { (65...90).contains($0) ? $0 | 32 : $0 })
        return lowered.range(of: Data(text.utf8)) != nil
    }
}
