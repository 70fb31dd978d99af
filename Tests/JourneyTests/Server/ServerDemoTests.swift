// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("The demo, as a first-time user sees it")
struct ServerDemoTests {
    @Test("the demo prints a user, whose printed data signs in, twice over")
    func demo() async throws {
        try await ServerPlace.with(.sqlite) { place in
            for _ in 0..<2 {
                let arguments = ["demo", "--port", "0", "--people", "12"]
                let status = try await place.running(arguments, until: "example app at ", last: "Stop with Ctrl-C") { server in
                    let email = try #require(server.said.firstMatch(of: #/e-mail +(\S+)/#)).1
                    let password = try #require(server.said.firstMatch(of: #/password +(\S+)/#)).1
                    let answer = try await server.ask(
                        .POST, "/auth/v1/token?grant_type=password", json: #"{"email":"\#(email)","password":"\#(password)"}"#)
                    let mine = try #require(SignedIn(answer, email: String(email)), "\(answer)")
                    #expect(try await server.isAccepted(mine.access))
                    let out = try await server.ask(.POST, "/auth/v1/logout", token: mine.access)
                    #expect(out.status == 204)
                    #expect(try await !server.isAccepted(mine.access))
                }
                #expect(status == 0)
            }
            let database = try openDatabase("sqlite:\(place.folder.path)/.farewell-demo/farewell.sqlite")
            let messages = try await database.withConnection { try await $0.run("SELECT count(*) FROM messages") }
            await database.close()
            #expect(messages.scalar == .integer(624), "52 messages of each of 12 people")
        }
    }

    @Test("PL-1 the demo refuses the state directory of another server, and changes nothing in it")
    func otherServer() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let real = place.folder.appendingPathComponent("real")
            let files = FileManager.default
            try files.createDirectory(at: real, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let database = try openDatabase("sqlite:\(real.path)/farewell.sqlite", sqlite: SQLiteConfiguration(access: .createIfMissing))
            for statement in ["CREATE TABLE users (id text PRIMARY KEY)", "INSERT INTO users VALUES ('ada')"] {
                _ = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
            }
            await database.close()
            // The files beside a database come and go with its connections.
            func names() throws -> [String] {
                try files.contentsOfDirectory(atPath: real.path).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
            }
            let before = try names()
            let end = try await place.call(["demo", "--port", "0", "--people", "3", "--state", real.path])
            #expect(end.status == 2 && end.errors.contains("not made by farewell demo") && end.errors.contains("--state"), "\(end)")
            #expect(try names() == before)
            let kept = try openDatabase("sqlite:\(real.path)/farewell.sqlite")
            let tables = "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table'"
            #expect(try await kept.withConnection { try await $0.run(SQLStatement(tables)) }.scalar == .text("users"))
            await kept.close()
        }
    }

    @Test("DX-1 the demo runs in an empty folder, and prints the addresses of its pages and how to sign in to each")
    func pages() async throws {
        try await ServerPlace.with(.sqlite) { place in
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).isEmpty)
            let arguments = ["demo", "--port", "0", "--people", "3"]
            let status = try await place.running(arguments, until: "example app at ", last: "Stop with Ctrl-C") { server in
                let email = try #require(server.said.firstMatch(of: #/e-mail +(\S+)/#)).1
                let password = try #require(server.said.firstMatch(of: #/password +(\S+)/#)).1
                let account = try #require(server.said.firstMatch(of: #/(http\S+\/account) +for users/#)).1
                #expect(account == server.url + "/account")
                let browser = Guarded(CookieJar())
                _ = try await browser.page(server, "/account")
                let signedIn = try await browser.send(
                    server, "/account/sign-in", ["email": String(email), "password": String(password)])
                #expect(signedIn.status == 303, "\(signedIn)")
                #expect(try await browser.page(server, "/account").text.contains(String(email)))
                #expect(try await browser.page(server, "/account/delete").text.contains("Your conversations"))

                let shown = try #require(server.said.firstMatch(of: #/(http\S+\/console) +for operators.*token in (\S+)/#))
                #expect(shown.1 == server.url + "/console")
                let file = place.folder.appendingPathComponent(String(shown.2))
                let token = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
                let operators = Guarded(CookieJar())
                _ = try await operators.page(server, "/console")
                let opened = try await operators.send(server, "/console/sign-in", ["token": token])
                #expect(opened.status == 303, "\(opened)")
                #expect(try await operators.page(server, "/console").status == 200)
            }
            #expect(status == 0)
        }
    }

    @Test("BX-4 DX-1 a demo that stopped with a parked erasure continues it at the next start, and names another user to sign in as")
    func resumed() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let arguments = ["demo", "--port", "0", "--people", "3"]
            @Sendable func change(_ statement: String) async throws {
                let database = try openDatabase("sqlite:\(place.folder.path)/.farewell-demo/farewell.sqlite")
                _ = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
                await database.close()
            }
            let asked = Guarded<(email: String, id: String, ticket: String)>(("", "", ""))
            @Sendable func state(_ server: RunningServer) async throws -> String? {
                let (_, id, ticket) = asked.withLock { $0 }
                let answer = try await server.ask(.GET, "/v1/erasures/\(id)", headers: ["X-Farewell-Ticket": ticket])
                return answer.json["state"] as? String
            }
            let first = try await place.running(arguments, until: "example app at ", last: "Stop with Ctrl-C") { server in
                let email = String(try #require(server.said.firstMatch(of: #/e-mail +(\S+)/#)).1)
                let password = try #require(server.said.firstMatch(of: #/password +(\S+)/#)).1
                let signedIn = try await server.ask(
                    .POST, "/auth/v1/token?grant_type=password", json: #"{"email":"\#(email)","password":"\#(password)"}"#)
                let mine = try #require(SignedIn(signedIn, email: email), "\(signedIn)")
                try await change("ALTER TABLE messages ADD COLUMN telephone text")
                let answer = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k"])
                let id = try #require(answer.json["id"] as? String, "\(answer)")
                let ticket = try #require(answer.json["ticket"] as? String, "\(answer)")
                asked.withLock { $0 = (email, id, ticket) }
                try await eventually { try await state(server) == "needs attention" }
            }
            #expect(first == 0)
            try await change("ALTER TABLE messages DROP COLUMN telephone")
            let second = try await place.running(arguments, until: "example app at ", last: "Stop with Ctrl-C") { server in
                let email = String(try #require(server.said.firstMatch(of: #/e-mail +(\S+)/#)).1)
                #expect(email != asked.withLock { $0.email }, "the first user is being erased")
                try await eventually { try await state(server) == "done" }
            }
            #expect(second == 0)
        }
    }

    @Test("the demo's printed commands work as pasted: signed in, signed out, and deleted for good, with progress and receipt")
    func pasted() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let arguments = ["demo", "--port", "0", "--people", "5"]
            let status = try await place.running(arguments, until: "example app at ", last: "Stop with Ctrl-C") { server in
                let printed = server.said.split(separator: "\n").drop { !$0.hasPrefix("Try") }.prefix { !$0.hasPrefix("Any") }
                let lines = printed.filter { $0.hasPrefix("  ") }.map(String.init)
                let leaving = try #require(lines.firstIndex { $0.contains("/v1/erasures/preview") })
                // Signed out everywhere by then, one signs in anew: by the first lines.
                let script = lines[..<leaving] + lines.prefix(2) + lines[leaving...]
                let result = try await Subprocess.run(
                    .name("bash"), arguments: .init(["-c", script.joined(separator: "\n")]), output: .string(limit: 1 << 20))
                try Walkthrough(result.standardOutput).expect([
                    #"{"sessions":[{"#, "HTTP/1.1 204", "session_not_found", #""erased":"#, "event: erasure", #""state":"done""#, "\n\ney",
                    "user_not_found",
                ])
            }
            #expect(status == 0)
        }
    }
}
