// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("Receipt files: written at once, restored when missing")
struct CommandReceiptTests {
    @Test(
        "OPS-09 a command killed during a list has written the receipt of every finished subject; status writes the rest",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let list = try place.writeList(1..<13)
            var done = 0
            let status = try await place.following(
                ["erase", "--subjects-file", list, "--yes", "--group", "1", "--json"]
            ) { execution, line in
                guard line.contains("\"event\":\"done\"") else { return }
                done += 1
                #expect(place.receiptFiles().count >= done, "a receipt was not there when its erasure was done")
                if done == 4 { try execution.send(signal: .kill) }
            }
            #expect(status == 128 + 9 && done < 12, "\(status), \(done)")
            #expect(place.receiptFiles().count >= 4)
            #expect(try await place.farewell("status").status == 0)
            #expect(place.receiptFiles().count == (try await place.countDone()))
            #expect(try await place.farewell("erase", "--resume").status == 0)
            #expect(place.receiptFiles().count == (try await place.countDone()))
            for name in place.receiptFiles() {
                let verified = try await place.farewell("receipt", "verify", ".farewell/receipts/\(name)")
                #expect(verified.status == 0, "\(verified)")
                #expect(try place.permissions(of: place.receipts.path + "/" + name) == 0o600)
            }
            #expect(try place.permissions(of: place.receipts.path) == 0o700)
        }
    }

    @Test("OPS-09 connections lost in the middle of a list lose no receipt: --resume and status leave one file for each")
    func disconnected() async throws {
        try await CommandPlace.with(.postgresql, people: 60) { place in
            let list = try place.writeList(1..<50)
            let name = URL(string: place.address)?.lastPathComponent ?? ""
            var done = 0
            let status = try await place.following(
                ["erase", "--subjects-file", list, "--yes", "--group", "1", "--json"]
            ) { _, line in
                guard line.contains("\"event\":\"done\"") else { return }
                done += 1
                guard done == 5 else { return }
                let server = try TestServer.address(of: "postgres")
                try await TestServer.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false", at: server)
                try await TestServer.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'", at: server)
            }
            try await TestServer.run(
                "ALTER DATABASE \(name) ALLOW_CONNECTIONS true", at: TestServer.address(of: "postgres"))
            #expect(status == 75)
            let count = try await place.countDone()
            #expect((5..<49).contains(count), "it was not half-way")
            #expect(place.receiptFiles().count >= 5)
            #expect(try await place.farewell("erase", "--resume").status == 0)
            #expect(place.receiptFiles().count == (try await place.countDone()))
            // All of them lost: any command that reads the database writes them.
            try FileManager.default.removeItem(at: place.receipts)
            let told = try await place.farewell("status")
            #expect(told.status == 0 && told.errors.contains("restored from the database"), "\(told)")
            #expect(place.receiptFiles().count == (try await place.countDone()))
            #expect(try await place.farewell("status").errors.isEmpty, "it says so once")
        }
    }

    @Test(
        "OPS-06 a receipt without a file is still the newest, and status, doctor and --resume write it",
        arguments: SQLDialect.allCases)
    func missing(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let first = try await place.eraseOne(place.person)
            let second = try await place.eraseOne(place.neighbour)
            #expect(place.receiptFiles() == [first, second].map { $0 + ".jws" }.sorted())
            let file = place.receipts.appendingPathComponent(second + ".jws")
            let text = try Data(contentsOf: file)
            for command in [["status"], ["doctor"], ["erase", "--resume"], ["receipt", "show"]] {
                try FileManager.default.removeItem(at: file)
                let end = try await place.call(command)
                #expect(end.status == 0, "\(end)")
                #expect(try Data(contentsOf: file) == text, "\(command)")
                if command[0] == "receipt" { #expect(end.output.contains(second), "\(end)") }
            }
            // Without the database the newest file is the newest receipt, also if it was restored first.
            for name in place.receiptFiles() { try FileManager.default.removeItem(at: place.receipts.appending(path: name)) }
            #expect(try await place.farewell("status").status == 0)
            let alone = try await place.farewell("receipt", "show", environment: ["FAREWELL_DATABASE_URL": ""])
            #expect(alone.status == 0 && alone.output.contains(second), "\(alone)")
            let away = "postgresql://nobody@127.0.0.1:1/nothing"
            let unreachable = try await place.farewell("receipt", "show", environment: ["FAREWELL_DATABASE_URL": away])
            #expect(unreachable.status == 0 && unreachable.output.contains(second), "\(unreachable)")
            #expect(unreachable.errors.contains("newest receipt of the state directory"), "\(unreachable)")
        }
    }

    @Test("OPS-09 half-written files of a killed process are removed, and a full comparison rewrites an empty file")
    func leftovers() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let erasure = try await place.eraseOne(place.person)
            let half = place.receipts.appendingPathComponent(".\(erasure).jws.2147483000")
            try Data("half".utf8).write(to: half)
            let file = place.receipts.appendingPathComponent(erasure + ".jws")
            let text = try Data(contentsOf: file)
            // As after a loss of power: the machine has started again since.
            try Data().write(to: file)
            let mark = place.state.appendingPathComponent("receipts.json")
            let written = try String(contentsOf: mark, encoding: .utf8)
            try Data(written.replacing(#/"boot":"[^"]*"/#, with: "\"boot\":\"before\"").utf8).write(to: mark)
            #expect(try await place.farewell("status").status == 0)
            #expect(try Data(contentsOf: file) == text)
            #expect(!FileManager.default.fileExists(atPath: half.path))
        }
    }

    @Test(
        "OPS-09 only receipts that these keys signed, of erasures not requested from a server, are written",
        arguments: SQLDialect.allCases)
    func belonging(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let subjects = (1..<4).map { place.people.subjectKey(at: $0) }
            var erasures: [String] = []
            for subject in subjects { erasures.append(try await place.eraseOne(subject)) }
            let prefix = dialect == .postgresql ? "farewell." : "farewell_"
            _ = try await place.query(
                "INSERT INTO \(prefix)requests (erasure, due_at) SELECT id, requested_at FROM \(prefix)erasures "
                    + "WHERE id = '\(erasures[0])'")
            _ = try await place.query(
                "UPDATE \(prefix)erasures SET receipt = 'aaaa.bbbb.cccc' WHERE id = '\(erasures[1])'")
            try FileManager.default.removeItem(at: place.receipts)
            let told = try await place.farewell("status")
            #expect(told.status == 0 && told.errors.contains("1 receipt was missing"), "\(told)")
            #expect(place.receiptFiles() == [erasures[2] + ".jws"])
            #expect(try await place.farewell("status").errors.isEmpty)
        }
    }

    @Test("OPS-06 where receipts cannot be written the erasures are done, one line says so, and later they are written")
    func unwritable() async throws {
        try await CommandPlace.with(.sqlite) { place in
            _ = try await place.eraseOne(place.person)
            let aside = place.folder.appendingPathComponent("aside")
            try FileManager.default.moveItem(at: place.receipts, to: aside)
            try Data("in the way".utf8).write(to: place.receipts)
            let list = try place.writeList(3..<6)
            let end = try await place.farewell("erase", "--subjects-file", list, "--yes")
            #expect(end.status == 0 && end.output.contains("3 subjects erased"), "\(end)")
            #expect(end.errors.components(separatedBy: "cannot be written").count == 2, "\(end)")
            #expect(!end.output.contains("Signed receipts"), "\(end)")
            try FileManager.default.removeItem(at: place.receipts)
            try FileManager.default.moveItem(at: aside, to: place.receipts)
            let told = try await place.farewell("status")
            #expect(told.errors.contains("3 receipts were missing"), "\(told)")
            #expect(place.receiptFiles().count == 4)
        }
    }

    @Test("OPS-09 on a full disk the erasure is done, one line names its unwritten receipt, and once there is space status writes it")
    func fullDisk() async throws {
        try await SmallDisk.with(megabytes: 4) { disk in
            try await CommandPlace.with(.sqlite) { place in
                let state = disk.folder.appendingPathComponent("state")
                let arguments = ["--state", state.path]
                #expect(try await place.call(["erase", "--subject", place.person, "--yes"] + arguments).status == 0)
                // The ledger's page has room for another line; a receipt needs a page of its own.
                try disk.fill(leaving: 0)
                let end = try await place.call(["erase", "--subject", place.neighbour, "--yes"] + arguments)
                #expect(end.status == 0 && !end.output.contains("Signed receipt:"), "\(end)")
                #expect(end.errors.components(separatedBy: "cannot be written").count == 2, "\(end)")
                #expect(try await place.countDone() == 2)
                let folder = state.appendingPathComponent("receipts")
                #expect(place.receiptFiles(in: folder).count == 1)
                try disk.makeRoom()
                #expect(try await place.call(["status"] + arguments).status == 0)
                #expect(place.receiptFiles(in: folder).count == 2)
            }
        }
    }
}
