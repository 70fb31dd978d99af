// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Subprocess
import Testing

@Suite("Account pages in a real browser", .serialized)
struct PageJourneyTests {
    @Test("BX-9 SO-1 SO-2 SO-3 SO-5 SO-11 AD-1 AD-2 AD-3 AD-4 SE-8 SV-7 people sign out and leave by the pages, in Chromium")
    func browsed() async throws {
        try await ErasurePlace.with(.postgresql, people: 9) { place in
            let mail = try Mailbox(in: place.place.folder)
            let marks = place.place.folder.appendingPathComponent("marks")
            try FileManager.default.createDirectory(at: marks, withIntermediateDirectories: true)
            let settings = place.settings("lanes: 0") + mail.settings
            try await place.place.serving(settings) { server in
                try await place.place.serving(place.settings("lanes: 0\ngrace-days: 7") + mail.settings) { grace in
                    var emails: [String] = []
                    for index in 0..<8 { emails.append(try await place.signIn(index, server).email) }
                    let pictures = ProcessInfo.processInfo.environment["FAREWELL_TEST_PICTURES"] ?? marks.path
                    let arguments =
                        [
                            server.url, "--grace", grace.url, "--key", place.place.state.appendingPathComponent("service.key").path,
                            "--mailbox", mail.folder.path, "--marks", marks.path, "--pictures",
                            pictures,
                        ] + emails
                    try await withThrowingTaskGroup(of: CommandEnd?.self) { group in
                        group.addTask {
                            let end = try await Python.run("Interop/browse_pages.py", arguments)
                            for mark in ["asked", "over"] { try Data().write(to: marks.appendingPathComponent(mark)) }
                            return end
                        }
                        group.addTask {
                            try await mark("asked", in: marks)
                            try await place.working(place.settings()) { _ in try await mark("over", in: marks) }
                            return nil
                        }
                        for try await end in group {
                            guard let end else { continue }
                            let last = end.output.split(separator: "\n").suffix(8).joined(separator: "\n")
                            #expect(end.status == 0, "\(last)\n\(end.errors.suffix(2_000))")
                        }
                    }
                    let acts = try await place.query("SELECT count(*) FROM farewell.audit WHERE entry LIKE '%console%'")
                    #expect(acts == [[.integer(2)]], "what the console changed is in the audit log")
                    let log = try String(contentsOf: place.place.log, encoding: .utf8)
                    for email in emails { #expect(!log.contains(email), "nobody's address is in the log") }
                }
            }
        }
    }

    /// Waits for a mark of the program's; the suite's own limit ends what never comes.
    private func mark(_ name: String, in folder: URL) async throws {
        let clock = ContinuousClock()
        while !FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
            try await clock.sleep(for: .milliseconds(100))
        }
    }
}

/// A program that puts each mail into a folder.
private struct Mailbox {
    let folder: URL
    let settings: String

    init(in place: URL) throws {
        folder = place.appendingPathComponent("mails")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = place.appendingPathComponent("send-mail")
        try Data("#!/bin/sh\nexec cat > \"$(mktemp \"$1/XXXXXX\")\"\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        settings = """
            mail: {command: ['\(program.path)', '\(folder.path)'], from: 'Farewell <farewell@example.org>'}

            """
    }
}
