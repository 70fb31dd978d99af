// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("The operators' console", .serialized)
struct ConsoleJourneyTests {
    private static let program = "Interop/sign_in_operators.py"

    @Test("BX-9 operators sign in by OpenID Connect: every wrong answer of the provider is refused, roles are separate, acts are named")
    func signsIn() async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            let port = try await Python.freePort()
            let settings = try await Self.settings(place, issuer: "http://127.0.0.1:\(port)")
            try await place.place.serving(settings) { server in
                let end = try await Python.run(Self.program, ["run", server.url, port])
                #expect(end.status == 0, "\(end.output.suffix(1_500))\n\(end.errors.suffix(2_000))")
            }
            try await place.place.serving(settings) { server in
                let end = try await Python.run(Self.program, ["never", server.url, port])
                #expect(end.status == 0, "\(end.output.suffix(1_500))\n\(end.errors.suffix(2_000))")
            }
            let log = try String(contentsOf: place.place.log, encoding: .utf8)
            let acts = try await place.query("SELECT entry FROM farewell_audit WHERE entry LIKE '%console.signed-in%'")
                .compactMap { $0[0].text }
            #expect(acts.count == 5 && acts.count { $0.contains(#""role":"look""#) } == 1, "\(acts)")
            #expect(acts.allSatisfy { $0.firstMatch(of: #/"actor":"console:[0-9a-f]{16}"/#) != nil })
            for text in acts + [log] {
                for word in ["olga", "operator-1", "auditor-1"] { #expect(!text.contains(word), "a keyed hash, and no name") }
            }
        }
    }

    @Test("BX-9 the console in Chromium: signed in elsewhere, viewed without buttons, released, held, delivered again")
    func browsed() async throws {
        try await ErasurePlace.with(.postgresql, people: 5) { place in
            let ports = try await Python.freePorts(3)
            let (provider, hooks, own) = (ports[0], ports[1], ports[2])
            let marks = place.place.folder.appendingPathComponent("marks")
            try FileManager.default.createDirectory(at: marks, withIntermediateDirectories: true)
            try Data("whsec_\(Data(repeating: 7, count: 32).base64EncodedString())".utf8).writeSecret(
                to: place.place.folder.appendingPathComponent("hooks.secret"))
            try Data(
                "endpoints: [{name: crm, kind: webhook, url: 'http://127.0.0.1:\(hooks)/events', secret-file: hooks.secret}]".utf8
            ).write(to: place.place.folder.appendingPathComponent("hooks.yaml"))
            let settings = try await Self.settings(
                place, issuer: "http://localhost:\(provider)", "grace-days: 7\nwebhooks-file: hooks.yaml")
            let known = settings + "tokens: {issuer: 'http://127.0.0.1:\(own)/auth/v1'}\n"
            try await place.place.serving(known, arguments: ["--port", own]) { server in
                try await place.place.serving(place.settings("concurrency: 0")) { now in
                    var emails: [String] = []
                    for index in 1..<4 { emails.append(try await place.signIn(index, server).email) }
                    let stuck = try await place.signIn(0, now).access
                    let table = try await Self.grow(place)
                    let arguments = [
                        server.url, "--now", now.url, "--provider", provider, "--hooks", hooks, "--key",
                        place.place.state.appendingPathComponent("service.key").path, "--marks", marks.path, "--pictures",
                        Pictures.folder(or: marks), stuck,
                    ]
                    let walk = Task {
                        let end = try await Python.run("Interop/browse_console.py", arguments + emails)
                        try Data().write(to: marks.appendingPathComponent("parked"))
                        return end
                    }
                    try await mark("parked", in: marks)
                    // Erasures that wait for a plan continue without an operator; this one is to wait for an operator.
                    _ = try await place.query(
                        "UPDATE farewell.erasures SET cause_code = 'sql.P0001' WHERE state = 'needs attention'")
                    _ = try await place.query("ALTER TABLE \(table) DROP COLUMN forgotten")
                    try Data().write(to: marks.appendingPathComponent("mended"))
                    let end = try await walk.value
                    #expect(end.status == 0, "\(end.output.suffix(1_500))\n\(end.errors.suffix(2_000))")
                    #expect(try await place.count(0) == 0, "the released erasure deleted its user")
                }
            }
            let acts = try await place.query("SELECT entry FROM farewell.audit WHERE entry LIKE '%\"actor\":\"console:%'")
                .compactMap { $0[0].text?.firstMatch(of: #/"act":"([a-z.-]+)","actor":"(console:[0-9a-f]{16})"/#)?.output }
            let expected = [
                "console.signed-in", "console.signed-out", "console.signed-in", "erasure.released", "erasure.held",
                "erasure.hold-ended", "erasure.held", "erasure.hold-ended", "events.redelivered", "console.signed-out",
                "console.signed-in",
            ]
            #expect(acts.map { String($0.1) } == expected, "\(acts.map(\.0))")
            #expect(Set(acts.map { String($0.2) }).count == 3, "an auditor, an operator, the operators' token")
            let done = acts.filter { !$0.1.hasPrefix("console.") }
            #expect(Set(done.map { String($0.2) }).count == 1, "one of them did all of it")
        }
    }

    /// A server whose operators sign in at a provider.
    private static func settings(_ place: ErasurePlace, issuer: String, _ more: String = "") async throws -> String {
        let secret = place.place.folder.appendingPathComponent("console.secret").path
        let made = try await Python.run(program, ["secret", secret])
        try #require(made.status == 0, "\(made)")
        return place.settings(more) + """
            console:
              issuer: \(issuer)
              client: console
              secret-file: '\(secret)'
              scopes: [openid, groups]
              operator-roles: [erasures]
              look-roles: [auditors]

            """
    }

    /// Gives a table of the plan a column that the plan does not know.
    private static func grow(_ place: ErasurePlace) async throws -> String {
        let tables = try await place.query(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name LIMIT 1")
        let table = "public.\(try #require(tables.first?.first?.text))"
        _ = try await place.query("ALTER TABLE \(table) ADD COLUMN forgotten text")
        return table
    }
}
