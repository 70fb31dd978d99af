// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
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
                    #expect(acts == [[.integer(5)]], "who signed in at the console, and what was changed there, is in the audit log")
                    let log = try String(contentsOf: place.place.log, encoding: .utf8)
                    for email in emails { #expect(!log.contains(email), "nobody's address is in the log") }
                }
            }
        }
    }

    @Test("BX-9 SE-8 the same pages on SQLite; a server that was restarted knows the form, the session and the ticket")
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
                let known = try await place.signIn(3, server).email
                let asked = try await Python.run(
                    "Interop/enumerate_accounts.py", [server.url, "--known", known, "--tries", "4"])
                #expect(asked.status == 0, "Item 33: \(asked.output) \(asked.errors.suffix(1_000))")
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

    @Test("BX-9 Item 31: Sign in with Apple proves on the page who somebody is, in the browser that asked and in no other")
    func apple() async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            let script = "Interop/sign_in_with_apple.py"
            let port = try await Python.run(script, ["free-port"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
            let apple = """
                apple: {client-ids: [org.example.app], keys: 'http://127.0.0.1:\(port)/keys'}
                pages: {apple-client: org.example.app, apple-authorize: 'http://apple.test/authorize'}

                """
            try await place.place.serving(apple + place.settings()) { server in
                let end = try await Python.run(script, ["page", server.url, port])
                #expect(end.status == 0, "\(end)")
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

/// What a browser keeps: its cookies, and the form of the last page.
private struct CookieJar {
    var cookies: [String: String] = [:]
    var form = ""

    mutating func take(_ answer: ServerAnswer) {
        for field in answer.headers["set-cookie"] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies[String(pair[0])] = pair.count == 2 ? String(pair[1]) : nil
        }
        if let match = answer.text.firstMatch(of: #/name="form" value="([^"]+)"/#) { form = String(match.1) }
    }
}

extension Guarded<CookieJar> {
    fileprivate func page(_ server: RunningServer, _ path: String) async throws -> ServerAnswer {
        try await ask(server, .GET, path, nil)
    }

    fileprivate func send(_ server: RunningServer, _ path: String, _ fields: [String: String]) async throws -> ServerAnswer {
        var fields = fields
        fields["form"] = withLock { $0.form }
        return try await ask(server, .POST, path, fields)
    }

    private func ask(
        _ server: RunningServer, _ method: HTTPMethod, _ path: String, _ fields: [String: String]?
    ) async throws -> ServerAnswer {
        let cookies = withLock { $0.cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }
        let body = fields?.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        var request = HTTPClientRequest(url: server.url + path)
        request.method = method
        request.headers = [
            "Cookie": cookies, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if let body { request.body = .bytes(ByteBuffer(string: body.joined(separator: "&"))) }
        // One that follows nothing: where a page leads is looked at.
        let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
        do {
            let response = try await client.execute(request, timeout: .seconds(120))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            let answer = ServerAnswer(
                status: Int(response.status.code), headers: response.headers, body: Data(bytes.readableBytesView))
            try await client.shutdown()
            withLock { $0.take(answer) }
            return answer
        } catch {
            try? await client.shutdown()
            throw error
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
