// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Eventually
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import InteropProgram
import NIOCore
import NIOHTTP1
import Subprocess
import Testing

@Suite("The export command as the user sees it")
struct CommandExportTests {
    @Test(
        "EX-1 EX-3 an export killed midway is continued, one stopped by Ctrl-C leaves nothing, and an erasure follows an export",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 4, messagesOfOne: 2_000) { place in
            let subject = place.people.subjectKey(at: 0)
            let before = try await place.rows()
            let (output, hidden) = (place.path("out"), place.path(".out.farewell-export"))
            let plan = try String(contentsOf: place.plan, encoding: .utf8)
            let systems = try await Systems(subject)
            try place.changePlan { $0 + systems.plan }
            let words = ["export", "--subject", subject, "--output", "out"]
            func kill() async throws {
                let ended = try await place.ended(words, environment: systems.keys) { execution in
                    // All rows and the files of the one system are written.
                    try await eventually { systems.silent.isCalled() }
                    try execution.send(signal: .kill)
                }
                #expect(ended.status == 128 + 9, "\(ended)")
                #expect(FileManager.default.fileExists(atPath: hidden) && !FileManager.default.fileExists(atPath: output))
            }
            try await kill()
            let stopped = try await place.ended(words, environment: systems.keys) { execution in
                try await eventually { systems.silent.isCalled() }
                try execution.send(signal: .interrupt)
            }
            #expect(stopped.status == 130 && stopped.words.contains("Stopping."), "\(stopped)")
            #expect(!FileManager.default.fileExists(atPath: output) && !FileManager.default.fileExists(atPath: hidden))
            try await kill()
            // Without its key the silent system is left out.
            let keys = systems.keys.filter { $0.key != "SILENT_KEY" }
            let done = try await place.end(of: place.configuration(words, keys))
            #expect(done.status == 0 && done.output.contains("Continued an interrupted export: 2 files"), "\(done)")
            #expect(!done.errors.contains("removed") && !FileManager.default.fileExists(atPath: hidden), "\(done)")
            #expect(try await place.farewell("export", "--check", "out").status == 0)
            try FileManager.default.removeItem(atPath: output)

            try Data(plan.utf8).write(to: place.plan)
            let erased = try await place.farewell("erase", "--subject", subject, "--yes", "--export-first", "out", "--json")
            #expect(erased.status == 0, "\(erased)")
            let checked = try await place.farewell("export", "--check", "out")
            #expect(checked.status == 0 && checked.output.contains("Genuine"), "\(checked)")
            let exported = FileManager.default.enumerator(atPath: output)?.compactMap { $0 as? String } ?? []
            let gone = before.count - (try await place.rows().count)
            let lines = try exported.filter { $0.hasSuffix(".csv") }.reduce(0) { sum, name in
                sum + (try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8).utf8.count { $0 == 13 } - 1)
            }
            #expect(gone == lines && lines > 2_000, "every erased row was exported")
            let again = try await place.farewell("export", "--subject", subject, "--output", "late")
            #expect(again.status == 3 && !FileManager.default.fileExists(atPath: place.path("late")), "\(again)")
        }
    }

    @Test("EX-1 an export that fails because a system does not answer says that it can be continued, and the same command does so")
    func failed() async throws {
        try await CommandPlace.with(.sqlite, people: 4) { place in
            let systems = try await Systems(place.person)
            // Nothing listens there.
            let port = try SilentService().port
            try place.changePlan { $0 + systems.plan.replacing(":\(systems.silent.port)/", with: ":\(port)/") }
            let words = ["export", "--subject", place.person, "--output", "out"]
            let failed = try await place.end(of: place.configuration(words, systems.keys))
            #expect(failed.status == 75 && failed.errors.contains("The same command continues"), "\(failed)")
            let hidden = place.path(".out.farewell-export")
            #expect(try FileManager.default.contentsOfDirectory(atPath: hidden).sorted() == [".read", "systems"])
            let keys = systems.keys.filter { $0.key != "SILENT_KEY" }
            let done = try await place.end(of: place.configuration(words, keys))
            #expect(done.status == 0 && done.output.contains("Continued an interrupted export: 2 files"), "\(done)")
            let notes = try FileManager.default.contentsOfDirectory(atPath: place.state.appendingPathComponent("exports").path)
            #expect(notes.isEmpty, "\(notes)")
        }
    }

    @Test("EX-3 the next command of any kind removes the remains of a killed export, and says so", arguments: ["doctor", "status"])
    func left(_ command: String) async throws {
        try await CommandPlace.with(.sqlite, people: 4) { place in
            let hidden = place.path(".out.farewell-export")
            let subject = place.people.subjectKey(at: 0)
            let systems = try await Systems(subject)
            let plan = try String(contentsOf: place.plan, encoding: .utf8)
            try place.changePlan { $0 + systems.plan }
            let words = ["export", "--subject", subject, "--output", "out"]
            let ended = try await place.ended(words, environment: systems.keys) { execution in
                try await eventually { systems.silent.isCalled() }
                let other = try await place.farewell("status")
                #expect(other.errors.isEmpty && FileManager.default.fileExists(atPath: hidden), "it is still written")
                try execution.send(signal: .kill)
            }
            try #require(ended.status == 128 + 9 && FileManager.default.fileExists(atPath: hidden), "\(ended)")
            try Data(plan.utf8).write(to: place.plan)
            let told = try await place.farewell(command)
            #expect(told.errors.contains(".out.farewell-export"), "\(told)")
            #expect(!FileManager.default.fileExists(atPath: hidden))
            #expect(try await place.farewell("status").errors.isEmpty)
            let notes = try FileManager.default.contentsOfDirectory(atPath: place.state.appendingPathComponent("exports").path)
            #expect(notes.isEmpty, "\(notes)")
        }
    }

    /// Two systems of a plan: one with two files of the subject's, and one that never answers.
    private struct Systems {
        let silent: SilentService
        let plan: String
        let keys: [String: String]
        /// Held, so that it goes on.
        private let vendors: InteropProgram

        init(_ subject: String) async throws {
            silent = try SilentService()
            vendors = try InteropProgram("Interop/fakes/vendors.py")
            let facts = try #require(try JSONSerialization.jsonObject(with: Data(vendors.word.utf8)) as? [String: Any])
            func text(_ name: String) throws -> String { try #require(facts[name] as? String) }
            keys = ["STORE_KEY": try text("key"), "SILENT_KEY": "key"]
            var request = HTTPClientRequest(url: "\(try text("control"))/settle/supabase-storage?person=\(subject)")
            request.method = .POST
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
            try #require(response.status == .ok)
            plan = """

                systems:
                  a_photos:
                    kind: supabase-storage
                    settings: {endpoint: "\(try text("endpoint"))/supabase-storage/storage/v1", bucket: photos, prefix: "{person}/"}
                    secrets: {key: {environment: STORE_KEY}}
                  b_silent:
                    kind: supabase-storage
                    settings: {endpoint: "http://127.0.0.1:\(silent.port)/storage/v1", bucket: photos, prefix: "{person}/"}
                    secrets: {key: {environment: SILENT_KEY}}

                """
        }
    }

    @Test("EX-1 an archive contains the folder's files, and an export touches no other file that has its hidden folder's name")
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

            // A link at the place of the hidden folder is not an export's: it stays, and no later command complains of it.
            let link = place.path(".late.farewell-export")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path("out"))
            let refused = try await place.farewell("export", "--subject", place.person, "--output", "late")
            #expect(refused.status == 2 && refused.errors.contains("is not a folder of an export"), "\(refused)")
            #expect(!refused.errors.contains("continues"), "\(refused)")
            #expect(try await place.farewell("status").errors.isEmpty)
            #expect(FileManager.default.fileExists(atPath: link))
        }
    }
}

extension CommandPlace {
    fileprivate func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
