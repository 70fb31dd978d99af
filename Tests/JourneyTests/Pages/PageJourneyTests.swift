// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Account pages in a real browser", .serialized)
struct PageJourneyTests {
    @Test("BX-9 SO-1 SO-2 SO-3 SO-5 SO-11 AD-1 AD-2 AD-3 AD-4 SE-8 SV-7 users sign out and delete accounts by the pages, in Chromium")
    func browsed() async throws {
        try await ErasurePlace.with(.postgresql, people: 9) { place in
            let mail = try Mailbox(in: place.place.folder)
            let marks = place.place.folder.appendingPathComponent("marks")
            try FileManager.default.createDirectory(at: marks, withIntermediateDirectories: true)
            let settings = place.settings("concurrency: 0") + mail.settings
            try await place.place.serving(settings) { server in
                try await place.place.serving(place.settings("concurrency: 0\ngrace-days: 7") + mail.settings) { grace in
                    var emails: [String] = []
                    for index in 0..<8 { emails.append(try await place.signIn(index, server).email) }
                    let arguments =
                        [
                            server.url, "--grace", grace.url, "--mailbox", mail.folder.path, "--marks", marks.path, "--pictures",
                            Pictures.folder(or: marks),
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
                    let log = try String(contentsOf: place.place.log, encoding: .utf8)
                    for email in emails { #expect(!log.contains(email), "no address is in the log") }
                }
            }
        }
    }

    @Test("BX-9 SE-8 the same pages work on SQLite; a restarted server recognises the form, the session and the ticket")
    func restarted() async throws {
        try await ErasurePlace.with(.sqlite, people: 5) { place in
            let mail = try Mailbox(in: place.place.folder)
            let settings = place.settings() + mail.settings
            let pictures = place.place.folder.appendingPathComponent("pictures")
            let jar = Guarded(CookieJar())
            try await place.place.serving(settings) { server in
                let people = [try await place.signIn(0, server).email, try await place.signIn(1, server).email]
                let end = try await Python.run(
                    "Interop/browse_pages.py", [server.url, "--brief", "--pictures", pictures.path] + people)
                let last = end.output.split(separator: "\n").suffix(8).joined(separator: "\n")
                #expect(end.status == 0, "\(last)\n\(end.errors.suffix(2_000))")
                let email = try await place.signIn(2, server).email
                _ = try await jar.page(server, "/account/delete")
                let welcome = try await jar.send(
                    server, "/account/sign-in", ["email": email, "password": SignedIn.password, "next": "delete"])
                #expect(welcome.status == 303 && welcome.headers["location"].first == "/account/delete", "\(welcome)")
                _ = try await jar.page(server, "/account/delete")
            }
            try await place.place.serving(settings) { server in
                let answer = try await jar.send(server, "/account/delete", [:])
                #expect(answer.status == 303 && answer.headers["location"].first == "/account/delete/progress", "\(answer)")
            }
            try await place.place.serving(settings) { server in
                // The ticket is known to the third server, which ends what the second began.
                try await eventually { try await jar.page(server, "/account/delete/progress").text.contains("receiptLink") }
                #expect(try await place.count(2) == 0)
            }
        }
    }

    @Test(
        "BX-9 Item 31: Sign in with Apple proves the user's identity on the page, only in the requesting browser, and creates no user",
        arguments: [(.sqlite, "closed"), (.postgresql, "closed"), (.sqlite, "open")] as [(SQLDialect, String)])
    func apple(_ dialect: SQLDialect, signUp: String) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            let script = "Interop/sign_in_with_apple.py"
            let port = try await Python.freePort()
            let apple = """
                apple: {client-ids: [org.example.app], keys: 'http://127.0.0.1:\(port)/keys'}
                pages: {apple-client: org.example.app, apple-authorize: 'http://apple.test/authorize'}

                """
            // A user known to Apple has signed up by the app, while that was open.
            try await place.place.serving(apple + place.settings()) { server in
                let end = try await Python.run(script, ["join", server.url, port])
                #expect(end.status == 0, "\(end)")
            }
            let before = try await place.users()
            let settings = apple + place.settings().replacing("people: {", with: "people: {sign-up: \(signUp), ")
            try await place.place.serving(settings) { server in
                let end = try await Python.run(script, ["page", server.url, port])
                #expect(end.status == 0, "\(end)")
            }
            #expect(try await place.users() == before, "no user was made")
        }
    }

    @Test("AD-4 when the server is killed and restarted during a deletion, the page reports it and finds the end without a click")
    func killed() async throws {
        try await ErasurePlace.with(.sqlite, people: 3) { place in
            let marks = place.place.folder.appendingPathComponent("marks")
            try FileManager.default.createDirectory(at: marks, withIntermediateDirectories: true)
            let port = ["--port", try await Python.freePort()]
            let walk = Guarded<Task<CommandEnd, any Error>?>(nil)
            try await place.place.serving(place.settings("concurrency: 0"), arguments: port) { server in
                let email = try await place.signIn(1, server).email
                let task = Task {
                    let end = try await Python.run(
                        "Interop/browse_pages.py",
                        [server.url, "--killed", "--marks", marks.path, "--pictures", Pictures.folder(or: marks), email])
                    for mark in ["asked", "seen", "over"] { try Data().write(to: marks.appendingPathComponent(mark)) }
                    return end
                }
                walk.withLock { $0 = task }
                try await mark("asked", in: marks)
                server.signal(SIGKILL)
            }
            try await mark("seen", in: marks)
            try await place.place.serving(place.settings(), arguments: port) { _ in try await mark("over", in: marks) }
            let end = try #require(try await walk.withLock { $0 }?.value)
            let log = try String(contentsOf: place.place.log, encoding: .utf8)
            #expect(end.status == 0, "\(end.output.suffix(1_500))\n\(end.errors.suffix(2_000))\n\(log.suffix(3_000))")
            #expect(try await place.count(1) == 0)
        }
    }
}

/// Waits for a mark of a program's; the suite's own limit ends what never comes.
func mark(_ name: String, in folder: URL) async throws {
    let clock = ContinuousClock()
    while !FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
        try await clock.sleep(for: .milliseconds(100))
    }
}

/// Where screenshots are kept.
enum Pictures {
    static func folder(or other: URL) -> String {
        ProcessInfo.processInfo.environment["FAREWELL_TEST_PICTURES"] ?? other.path
    }
}
