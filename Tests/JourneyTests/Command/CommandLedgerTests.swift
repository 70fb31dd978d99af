// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Testing

@Suite("The command with a lost ledger, or with one that contains too much")
struct CommandLedgerTests {
    private func lines(_ place: CommandPlace) throws -> [Substring] {
        try String(contentsOf: place.state.appendingPathComponent("ledger.jsonl"), encoding: .utf8).split(separator: "\n")
    }

    @Test("OP-4 OPS-03 with yesterday's state directory doctor reports the loss, the next command restores it, and a restore finds all")
    func yesterday() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let before = try Data(contentsOf: place.sqlite)
            let keys = (1...5).map { place.people.subjectKey(at: $0) }
            #expect(try await place.farewell("erase", "--subject", keys[0], "--yes").status == 0)
            let yesterday = place.folder.appendingPathComponent("yesterday")
            try FileManager.default.copyItem(at: place.state, to: yesterday)
            for key in keys[1...3] { #expect(try await place.farewell("erase", "--subject", key, "--yes").status == 0) }
            try FileManager.default.removeItem(at: place.state)
            try FileManager.default.moveItem(at: yesterday, to: place.state)

            let doctor = try await place.farewell("doctor", "--json")
            #expect(doctor.status == 0 && doctor.output.contains("3 missing in the file"), "\(doctor)")
            let status = try await place.farewell("status")
            #expect(status.status == 0 && status.errors.contains("copies differ"), "\(status)")
            let none = try await place.farewell("reerase", "--yes")
            #expect(none.status == 0 && none.errors.contains("had lost erasures"), "\(none)")
            #expect(try await place.farewell("erase", "--subject", keys[4], "--yes").status == 0)
            #expect(try lines(place).count { $0.contains("\"entry\"") } == 5)
            let mended = try await place.farewell("doctor", "--json")
            #expect(mended.output.contains("5 in the file, 5 in the database; 3 restored"), "\(mended)")

            try place.restore(before)
            let restored = try await place.farewell("doctor")
            #expect(restored.output.contains("5 in the file, 0 in the database"), "\(restored)")
            #expect(restored.output.contains("run farewell reerase"), "\(restored)")
            let warned = try await place.farewell("status")
            #expect(warned.status == 0 && warned.errors.contains("copies differ"), "\(warned)")
            let found = try await place.farewell("reerase", "--dry-run", "--json")
            #expect(Set(found.objects.first?["certain"] as? [String] ?? []) == Set(keys), "\(found)")
            #expect(try await place.farewell("reerase", "--yes").status == 0)
            #expect(try await place.farewell("reerase", "--dry-run").status == 0)
        }
    }

    @Test(
        "OP-4 OPS-03 another state directory, by mistake or without its volume, is refused with a remedy", arguments: SQLDialect.allCases)
    func otherState(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            let other = try await place.farewell("erase", "--subject", place.neighbour, "--yes", "--state", "other")
            #expect(other.status == 2 && other.errors.contains("--state") && other.errors.contains("keys adopt"), "\(other)")
            #expect(!FileManager.default.fileExists(atPath: place.folder.appendingPathComponent("other").path))
            let doctor = try await place.farewell("doctor", "--state", "other")
            #expect(doctor.status == 1 && doctor.output.contains("lacks the keys"), "\(doctor)")
            let unasked = try await place.farewell("keys", "adopt", "--state", "other")
            #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
            #expect(!FileManager.default.fileExists(atPath: place.folder.appendingPathComponent("other").path))
            let adopted = try await place.farewell("keys", "adopt", "--state", "other", "--yes")
            #expect(adopted.status == 0 && adopted.output.contains("1 entry"), "\(adopted)")
            let goesOn = try await place.farewell("erase", "--subject", place.neighbour, "--yes", "--state", "other")
            #expect(goesOn.status == 0, "\(goesOn)")
            #expect(try await place.farewell("erase", "--resume").status == 2, "the former keys are not in force")
        }
    }

    @Test("OP-4 OPS-01 a subject without a committed erasure is listed separately, and erased only on explicit request")
    func unconfirmed() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let backUp = try Data(contentsOf: place.sqlite)
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            // The machine died after the ledger's first line, before COMMIT.
            try place.restore(backUp)
            let ledger = place.state.appendingPathComponent("ledger.jsonl")
            let file = try FileHandle(forWritingTo: ledger)
            try file.truncate(atOffset: UInt64(try lines(place)[0].utf8.count + 1))
            try file.close()
            try FileManager.default.removeItem(at: place.state.appendingPathComponent("receipts"))

            let looked = try await place.farewell("reerase", "--dry-run")
            #expect(looked.status == 1 && looked.output.contains("Unconfirmed") && looked.output.contains(place.person), "\(looked)")
            #expect(looked.output.contains("0 came back"), "\(looked)")
            let left = try await place.farewell("reerase", "--yes", "--json")
            #expect(left.status == 1 && left.objects.first?["unconfirmed"] as? [String] == [place.person], "\(left)")
            #expect((left.objects.first?["certain"] as? [String])?.isEmpty == true)
            #expect(try await place.rows().contains { $0.contains(place.person) })
            let chosen = try await place.farewell("reerase", "--unconfirmed", "--yes")
            #expect(chosen.status == 0, "\(chosen)")
            #expect(try await place.rows().allSatisfy { !$0.contains(place.person) })
            #expect(try await place.farewell("reerase", "--dry-run").status == 0)
        }
    }

    @Test(
        "OP-4 OPS-03 doctor and read-only commands report each file of the state directory that cannot be used",
        .timeLimit(.minutes(30)))
    func unusable() async throws {
        try await CommandPlace.with(.sqlite) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            let names = ["ledger.jsonl", "stops.jsonl", "clock.json", "clock.lock"]
            let files = FileManager.default
            for name in names {
                let file = place.state.appendingPathComponent(name)
                if files.fileExists(atPath: file.path) { try files.removeItem(at: file) }
                try files.createDirectory(at: file, withIntermediateDirectories: false)
            }
            // Opening a pipe would wait for a writer.
            let mark = place.state.appendingPathComponent("receipts.json")
            try files.removeItem(at: mark)
            #expect(mkfifo(mark.path, 0o600) == 0)
            let doctor = try await place.farewell("doctor", "--json")
            #expect(doctor.status == 1)
            for name in names { #expect(doctor.output.contains("\(name) is not an ordinary file."), "\(doctor)") }
            let status = try await place.farewell("status")
            #expect(status.status == 0)
            for name in names.prefix(2) { #expect(status.errors.contains("\(name) is not an ordinary file."), "\(status)") }
            // A ledger without its keys recognises no subject.
            try files.removeItem(at: place.state.appendingPathComponent("ledger.jsonl"))
            try Data().write(to: place.state.appendingPathComponent("ledger.jsonl"))
            try files.removeItem(at: place.state.appendingPathComponent("keys.json"))
            let keyless = try await place.farewell("status")
            #expect(keyless.status == 0 && keyless.errors.contains("There are no keys"), "\(keyless)")
        }
    }

    @Test("OP-4 OPS-03 receipts of erasures that neither copy of the ledger knows are reported, also after the next erasure")
    func lostByBoth() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let before = try Data(contentsOf: place.sqlite)
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            try place.restore(before)
            try FileManager.default.removeItem(at: place.state.appendingPathComponent("ledger.jsonl"))
            for isNext in [false, true] {
                if isNext { #expect(try await place.farewell("erase", "--subject", place.neighbour, "--yes").status == 0) }
                let doctor = try await place.farewell("doctor", "--json")
                #expect(doctor.output.contains("1 receipt of erasures that neither copy knows"), "\(doctor)")
                let status = try await place.farewell("status")
                #expect(status.status == 0 && status.errors.contains("The ledger is incomplete"), "\(status)")
            }
        }
    }
}
