// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

/// The output, from which something is expected in an order.
struct Walkthrough {
    private let text: String

    init(_ text: String) { self.text = text }

    func expect(_ words: [String]) throws {
        var rest = text[...]
        for word in words {
            let found = try #require(rest.range(of: word), "\(word) is not shown after the others:\n\(text)")
            rest = rest[found.upperBound...]
        }
    }
}

@Suite("The first journey, as make run shows it", .serialized)
struct RunScriptTests {
    /// The script with the programs of these tests, in a folder of its own.
    ///
    /// - Parameter words: The commands of the shell; `$0` is the script.
    private static func journey(in place: ServerPlace, _ words: String) -> Subprocess.Configuration {
        let changes: [Subprocess.Environment.Key: String?] = [
            "PEOPLE": "12", "FAREWELL_PROGRAMS": URL(fileURLWithPath: TestBinary.path("farewell")).deletingLastPathComponent().path,
            "FAREWELL_JOURNEY": place.folder.appendingPathComponent("journey").path, "TERM": "xterm",
        ]
        return Subprocess.Configuration(
            executable: .path("/bin/sh"), arguments: .init(["-c", words, Python.root + "/Scripts/run"]),
            environment: .inherit.updating(changes), workingDirectory: FilePath(place.folder.path))
    }

    @Test(
        "the journey shows each call: sign-in, sign-out, deletion, progress, receipt, refused sign-in; then it exits",
        .timeLimit(.minutes(30)))
    func shown() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let result = try await Subprocess.run(
                Self.journey(in: place, #"exec "$0""#), input: .none, output: .string(limit: 1 << 22),
                error: .string(limit: 1 << 22))
            let status = CommandPlace.status(result.terminationStatus)
            let output = result.standardOutput
            #expect(status == 0, "\(output.suffix(2_000))\n\(result.standardError.suffix(2_000))")
            try Walkthrough(output).expect([
                "$ farewell erase --subject", "$ curl 'http://", "grant_type=password' -H 'X-Farewell-Device: a phone'", "/v1/sessions' -H",
                "/auth/v1/logout?scope=global' -H", "/auth/v1/user' -H", "session_not_found", "9. Delete", "grant_type=password' -H",
                " of all other users", "/v1/erasures/preview' -H", "$ curl -X POST http://", "/v1/erasures -H", "$ curl -N http://",
                #"/events -H "X-Farewell-Ticket: $TICKET""#, "event: erasure", #""state":"done""#, "$ curl http://",
                #"/receipt -H "X-Farewell-Ticket: $TICKET" >receipt.jws"#, "$ farewell receipt verify receipt.jws", "genuine and unchanged",
                "/auth/v1/user' -H", "user_not_found", "grant_type=password' -H", "invalid_credentials", " of all other users",
                "Deleted, and proved.", "Start it yourself",
            ])
            #expect(!output.contains(#""access_token":"ey"#) && !output.contains("Stop with Ctrl-C"))
            let counts = output.matches(of: #/ ([0-9]+) of the user +([0-9]+) of all other users/#).map { ($0.1, $0.2) }
            try #require(counts.count == 8)
            #expect(counts[..<4].allSatisfy { $0.0 != "0" } && counts[4...].allSatisfy { $0.0 == "0" }, "\(counts)")
            #expect(counts[..<4].map(\.1) == counts[4...].map(\.1), "the neighbours stay as they are")
        }
    }

    @Test("at a terminal the server then continues with another user for a sign-in, until Ctrl-C", .timeLimit(.minutes(30)))
    func terminal() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let keys = place.folder.appendingPathComponent("keys")
            // Ctrl-C goes to everything at the terminal: a shell that stays there would end by it and say so.
            let words = #"mkfifo keys; exec 0<>keys; exec script -qec "exec '$0'" /dev/null"#
            let result = try await Subprocess.run(
                Self.journey(in: place, words), input: .none, output: .sequence, error: .discarded
            ) { execution in
                var said = ""
                var isUsed = false
                for try await line in execution.standardOutput.strings() {
                    said += line + "\n"
                    guard !isUsed, said.contains("Stop with Ctrl-C") else { continue }
                    isUsed = true
                    let shown = said
                    do {
                        try await Self.signIn(shown)
                    } catch {
                        try Self.press("\u{03}", into: keys)
                        throw error
                    }
                    try Self.press("\u{03}", into: keys)
                }
                if !isUsed { throw ServerNeverListened(said: said) }
            }
            #expect(CommandPlace.status(result.terminationStatus) == 0)
        }
    }

    /// Signs in at the running server as the printed user: not as the erased one.
    private static func signIn(_ said: String) async throws {
        let last = try #require(said.range(of: "10. The same server again"))
        let (before, after) = (said[..<last.lowerBound], said[last.upperBound...])
        let address = try #require(after.firstMatch(of: #/example app at (http:\/\/127\.0\.0\.1:[0-9]+)/#)).1
        let email = try #require(after.firstMatch(of: #/e-mail +(\S+)/#)).1
        let password = try #require(after.firstMatch(of: #/password +(\S+)/#)).1
        #expect(!before.contains(email))
        let body = #"{"email":"\#(email)","password":"\#(password)"}"#
        let result = try await Subprocess.run(
            .name("curl"), arguments: .init(["-s", "--max-time", "60", "-d", body, "\(address)/auth/v1/token?grant_type=password"]),
            output: .string(limit: 1 << 20))
        #expect(result.standardOutput.contains(#""access_token":"ey"#), "\(result.standardOutput)")
    }

    private static func press(_ text: String, into keys: URL) throws {
        let handle = try FileHandle(forWritingTo: keys)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }
}
