// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("The demo, as a first-time user sees it")
struct ServerDemoTests {
    @Test("the demo prints a user, and its printed data signs in, twice over")
    func demo() async throws {
        try await ServerPlace.with(.sqlite) { place in
            for _ in 0..<2 {
                let arguments = ["demo", "--port", "0", "--people", "12", "--examples", Python.root + "/Examples"]
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

    @Test("the demo's printed commands work as pasted: signed in, signed out, and gone for good, with progress and receipt")
    func pasted() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let arguments = ["demo", "--port", "0", "--people", "5", "--examples", Python.root + "/Examples"]
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
