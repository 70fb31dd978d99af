// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import Testing

@Suite("The doctor and a state directory that cannot or must not be changed")
struct CommandDoctorTests {
    /// Every file of the state directory, by its path there.
    private func files(_ place: CommandPlace) throws -> [String: Data] {
        var all: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: place.state.path) {
            all[name] = FileManager.default.contents(atPath: place.state.appendingPathComponent(name).path)
        }
        return all
    }

    @Test(
        "PK-2 doctor reports a store of a newer version and leaves the state directory alone", arguments: SQLDialect.allCases)
    func newer(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let erasure = try await place.eraseOne(place.person)
            // Doctor of the store's own version writes the missing receipt again.
            try FileManager.default.removeItem(at: place.receipts.appendingPathComponent(erasure + ".jws"))
            let before = try files(place)
            let migrations = dialect == .postgresql ? "farewell.migrations" : "farewell_migrations"
            _ = try await place.query("INSERT INTO \(migrations) VALUES (99, '2027-01-01T00:00:00Z')")
            let newer = try await place.farewell("doctor", "--json")
            #expect(newer.status == 1 && newer.output.contains("control store"), "\(newer)")
            #expect(try files(place) == before)
            _ = try await place.query("DELETE FROM \(migrations) WHERE version = 99")
            let own = try await place.farewell("doctor", "--json")
            #expect(own.output.contains("1 file restored") && !own.output.contains("control store"), "\(own)")
            #expect(place.receiptFiles() == [erasure + ".jws"])
        }
    }

    @Test("DX-1 doctor warns of named settings that it cannot read; without --settings there is nothing to warn of")
    func unreadableSettings() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let end = try await place.farewell("doctor", "--settings", "nowhere.yaml", "--json")
            #expect(end.status == 0 && end.output.contains("The settings file at nowhere.yaml cannot be read"), "\(end)")
            let usual = try await place.farewell("doctor", "--json")
            #expect(usual.status == 0 && !usual.output.contains("settings file"), "\(usual)")
        }
    }

    @Test("OP-4 doctor reports a state directory that has lost its keys, without which the next erasure is refused")
    func lostKeys() async throws {
        try await CommandPlace.with(.sqlite) { place in
            _ = try await place.eraseOne(place.person)
            // The database as before the first erasure.
            for table in try await place.query("SELECT name FROM sqlite_schema WHERE type = 'table'").flatMap(\.self) {
                guard let name = table.text, name.hasPrefix("farewell_") else { continue }
                _ = try await place.query("DROP TABLE \(name)")
            }
            try FileManager.default.removeItem(at: place.state.appendingPathComponent("keys.json"))
            let end = try await place.farewell("doctor", "--json")
            #expect(end.status == 1 && end.output.contains("There are no keys"), "\(end)")
        }
    }

    @Test("OP-4 doctor reports what its user may not write to in the state directory, before an erasure needs it")
    func unwritable() async throws {
        try await CommandPlace.with(.sqlite) { place in
            _ = try await place.eraseOne(place.person)
            try place.giveToNobody()
            for (name, mode, words) in [
                ("", 0o500, "it"), ("receipts", 0o500, "receipts in it"), ("ledger.jsonl", 0o400, "ledger.jsonl in it"),
            ] {
                let path = name.isEmpty ? place.state.path : place.state.appendingPathComponent(name).path
                let ordinary = try #require(try place.permissions(of: path))
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                defer { try? FileManager.default.setAttributes([.posixPermissions: ordinary], ofItemAtPath: path) }
                let end = try await place.asNobody(["doctor", "--json"])
                #expect(end.status == 1 && end.output.contains("this user may not write to \(words)\""), "\(end)")
            }
            let end = try await place.asNobody(["doctor", "--json"])
            #expect(end.status == 0 && !end.output.contains("may not write"), "\(end)")
        }
    }
}

extension CommandPlace {
    /// Makes the user as whom `asNobody` calls the owner of everything here.
    func giveToNobody() throws {
        guard geteuid() == 0 else { return }
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for path in [folder.path] + names.map({ folder.appendingPathComponent($0).path }) {
            let result = chown(path, 65_534, 65_534)
            #expect(result == 0, "\(path)")
        }
    }
}
