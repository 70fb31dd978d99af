// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("The export command from the user's view")
struct CommandExportTests {
    @Test(
        "EX-1 EX-3 after a kill in the middle an export is made again, checked, and followed by the erasure",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 4, messagesOfOne: 40_000) { place in
            let subject = place.people.subjectKey(at: 0)
            let before = try await place.rows()
            let (output, hidden) = (place.path("out"), place.path(".out.farewell-export"))
            let ended = try await place.ended(["export", "--subject", subject, "--output", "out"]) { execution in
                try await eventually { FileManager.default.fileExists(atPath: hidden + "/tables") }
                try execution.send(signal: .kill)
            }
            #expect(ended.status == 128 + 9)
            #expect(FileManager.default.fileExists(atPath: hidden) && !FileManager.default.fileExists(atPath: output))
            try Data().write(to: URL(fileURLWithPath: hidden + "/old"))
            let stopped = try await place.ended(["export", "--subject", subject, "--output", "out"]) { execution in
                // What the killed one left is removed first.
                try await eventually {
                    !FileManager.default.fileExists(atPath: hidden + "/old")
                        && FileManager.default.fileExists(atPath: hidden + "/index.html")
                }
                try execution.send(signal: .interrupt)
            }
            #expect(stopped.status == 130 || stopped.status == 0, "\(stopped)")
            if stopped.status == 130 { #expect(!FileManager.default.fileExists(atPath: output)) }
            #expect(!FileManager.default.fileExists(atPath: hidden))
            try? FileManager.default.removeItem(atPath: output)
            let erased = try await place.farewell("erase", "--subject", subject, "--yes", "--export-first", "out", "--json")
            #expect(erased.status == 0, "\(erased)")
            let checked = try await place.farewell("export", "--check", "out")
            #expect(checked.status == 0 && checked.output.contains("Genuine"), "\(checked)")
            let exported = FileManager.default.enumerator(atPath: output)?.compactMap { $0 as? String } ?? []
            let gone = before.count - (try await place.rows().count)
            let lines = try exported.filter { $0.hasSuffix(".csv") }.reduce(0) { sum, name in
                sum + (try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8).utf8.count { $0 == 13 } - 1)
            }
            #expect(gone == lines && lines > 40_000, "every erased row was exported")
            let again = try await place.farewell("export", "--subject", subject, "--output", "late")
            #expect(again.status == 3 && !FileManager.default.fileExists(atPath: place.path("late")), "\(again)")
        }
    }

    @Test("EX-3 the next command of any kind removes what a killed export left, and says so", arguments: ["doctor", "status"])
    func left(_ command: String) async throws {
        try await CommandPlace.with(.sqlite, people: 4, messagesOfOne: 40_000) { place in
            let hidden = place.path(".out.farewell-export")
            let subject = place.people.subjectKey(at: 0)
            let ended = try await place.ended(["export", "--subject", subject, "--output", "out"]) { execution in
                try await eventually { FileManager.default.fileExists(atPath: hidden + "/tables") }
                let other = try await place.farewell("status")
                #expect(other.errors.isEmpty && FileManager.default.fileExists(atPath: hidden), "it is still written")
                try execution.send(signal: .kill)
            }
            try #require(ended.status == 128 + 9 && FileManager.default.fileExists(atPath: hidden), "\(ended)")
            let told = try await place.farewell(command)
            #expect(told.errors.contains(".out.farewell-export"), "\(told)")
            #expect(!FileManager.default.fileExists(atPath: hidden))
            #expect(try await place.farewell("status").errors.isEmpty)
            let notes = try FileManager.default.contentsOfDirectory(atPath: place.state.appendingPathComponent("exports").path)
            #expect(notes.isEmpty, "\(notes)")
        }
    }

    @Test("EX-1 an archive contains the files of the folder, and another project's program unpacks it")
    func archive() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            let folder = try await place.farewell("export", "--subject", place.person, "--output", "out")
            let archive = try await place.farewell("export", "--subject", place.person, "--output", "out.zip")
            #expect(folder.status == 0 && archive.status == 0, "\(archive)")
            var unpack = place.configuration([])
            unpack.executable = .name("python3")
            unpack.arguments = ["-m", "zipfile", "--extract", "out.zip", "unpacked"]
            let unpacked = try await place.end(of: unpack)
            #expect(unpacked.status == 0, "\(unpacked)")
            let checked = try await place.farewell("export", "--check", "unpacked/out")
            #expect(checked.status == 0, "\(checked)")
            let names = try ["out", "unpacked/out"].map { name in
                try #require(FileManager.default.enumerator(atPath: place.path(name))?.compactMap { $0 as? String }).sorted()
            }
            #expect(names[0] == names[1])
            let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
            #expect(!left.contains { $0.hasSuffix(".farewell-export") }, "\(left)")
        }
    }
}

extension CommandPlace {
    fileprivate func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
