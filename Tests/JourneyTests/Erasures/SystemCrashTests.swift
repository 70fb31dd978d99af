// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("External systems, and workers killed during a call to them", .serialized)
struct SystemCrashTests {
    @Test(
        "F1 F12 kill -9 during a call to every system, before or after its erasure: the next worker completes it",
        arguments: [(SQLDialect.sqlite, "before"), (.postgresql, "after")])
    func killed(_ dialect: SQLDialect, _ moment: String) async throws {
        let kinds = SystemsOutside.firebase + ["once", "asked"]
        try await ErasurePlace.with(dialect, people: 2) { people in
            let systems = try SystemsOutside(people.place.folder)
            let subject = people.key(0)
            try systems.join(people.place.folder.appendingPathComponent("plan.yaml"), kinds: kinds)
            for kind in kinds { try await systems.settle(kind, subject) }
            let before = try await systems.censuses(kinds)
            #expect(before.count == kinds.count)
            #expect(before.values.allSatisfy { census in census.keys.contains { $0.contains(subject) } })
            try await systems.stall(kinds, moment)
            try await killed(people.place, people.settings(), systems, kinds) { try await people.signIn(0, $0) }
            let after = try await systems.censuses(kinds)
            for (kind, census) in before {
                let kept = census.filter { !SystemsOutside.isOf(subject, $0.key) }
                #expect(after[kind] == kept, "\(kind)")
            }
            #expect(try await people.count(0) == 0)
        }
    }

    @Test(
        "SV-8 F1 F12 a Sign in with Apple user is erased: their token is revoked at Apple, despite a kill -9 of the server",
        arguments: [(SQLDialect.sqlite, "before"), (.postgresql, "after")])
    func apple(_ dialect: SQLDialect, _ moment: String) async throws {
        try await ErasurePlace.with(dialect, people: 2) { people in
            let systems = try SystemsOutside(people.place.folder)
            let plan = people.place.folder.appendingPathComponent("plan.yaml")
            let settings = try systems.appleSettings() + people.settings()
            let log = people.place.folder.appendingPathComponent("server.log")
            let warning = "The server keeps tokens of Sign in with Apple, but the plan does not revoke them"
            @Sendable func isWarned() throws -> Bool { try String(contentsOf: log, encoding: .utf8).contains(warning) }
            try await people.place.serving(settings) { _ in }
            #expect(try isWarned())
            try Data().write(to: log)

            let table = dialect == .postgresql ? "auth.provider_credentials" : "auth_provider_credentials"
            try systems.joinApple(plan, table: table)
            let told = try await killed(people.place, settings, systems, ["apple"]) { server in
                #expect(try !isWarned())
                _ = try await systems.signIn("jo1", server)
                let leaving = try await systems.signIn("jo", server)
                let known = try await systems.censuses(["apple"])["apple"] ?? [:]
                #expect(known["r.jo"] != nil && known["r.jo1"] != nil && known.count == 8, "\(known)")
                try await systems.stall(["apple"], moment)
                return leaving
            }
            #expect(told.contains("system: apple"), "\(told)")
            let left = try await systems.censuses(["apple"])["apple"] ?? [:]
            #expect(left["r.jo"] == nil && left["r.jo1"] != nil && left.count == 7, "\(left)")
            // The token of the one is gone from our database with its row; the other's is there.
            #expect(try await people.query("SELECT count(*) FROM \(table)").first?.first?.integer == 1)
            #expect(try !String(contentsOf: log, encoding: .utf8).contains("r.jo"))
        }
    }

    @Test(
        "a service that accepted calls back while no server listens, and is heard after the restart; no other caller is",
        arguments: SQLDialect.allCases)
    func calledBack(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { people in
            let systems = try SystemsOutside(people.place.folder)
            let subject = people.key(0)
            let port = try #require(try await systems.webhooks("GET", "/port") as? Int)
            let plan = people.place.folder.appendingPathComponent("plan.yaml")
            try systems.join(plan, kinds: ["told"], callback: "http://127.0.0.1:\(port)")
            _ = try await systems.webhooks("POST", "/settle/told/\(subject)")
            _ = try await systems.webhooks("POST", "/mute/told")
            let ticket = Guarded("")
            let arguments = ["--port", "\(port)"]
            try await people.place.serving(people.settings(), arguments: arguments) { server in
                let told = try await ask(server, as: people.signIn(0, server))
                ticket.withLock { $0 = told }
                #expect((try await systems.webhooks("GET", "/keys/told") as? [String])?.count == 1)
                server.signal(SIGKILL)
            }
            _ = try await systems.webhooks("POST", "/speak/told")
            try await people.place.serving(people.settings(), arguments: arguments) { server in
                let forged = #"{"type":"erased","data":{"key":"k","erased":1}}"#
                let known = try await server.ask(.POST, "/v1/systems/told/messages", json: forged)
                let unknown = try await server.ask(.POST, "/v1/systems/unknown/messages", json: forged)
                #expect(known.status == 401 && unknown.status == 401 && known.body == unknown.body, "names stay unknown")
                try await end(ticket.withLock { $0 }, server)
                // A repeated message is accepted again, without an effect.
                #expect(try await systems.webhooks("POST", "/again/told") as? Bool == true)
            }
            let left = try #require(try await systems.webhooks("GET", "/census/told") as? [String: String])
            #expect(left.count == 9 && !left.keys.contains { $0.hasPrefix("\(subject)/") })
        }
    }

    /// Has a person ask to be erased.
    ///
    /// - Returns: the ticket.
    private func ask(_ server: RunningServer, as person: SignedIn) async throws -> String {
        let answer = try await server.ask(.POST, "/v1/erasures", token: person.access, headers: ["Idempotency-Key": "key-1"])
        #expect(answer.status == 202, "\(answer)")
        return try #require(answer.json["ticket"] as? String)
    }

    /// A user signs in and requests an erasure; the server is killed while all of the systems are called, and the next one completes it.
    ///
    /// - Returns: the report of the erasure afterwards.
    @discardableResult
    private func killed(
        _ place: ServerPlace, _ settings: String, _ systems: SystemsOutside, _ kinds: [String],
        signIn: @Sendable (RunningServer) async throws -> SignedIn
    ) async throws -> String {
        let (ticket, outcome) = (Guarded(""), Guarded(""))
        _ = try await place.serving(settings) { server in
            let told = try await ask(server, as: try await signIn(server))
            ticket.withLock { $0 = told }
            // All of them are being asked, side by side.
            let missing = try await systems.unasked(kinds)
            #expect(missing.isEmpty, "\(missing)")
            server.signal(SIGKILL)
        }
        try await systems.release()
        _ = try await place.serving(settings) { server in
            let shown = ticket.withLock { $0 }
            try await end(shown, server)
            let told = try await server.ask(.GET, "/v1/erasures", headers: ["X-Farewell-Ticket": shown])
            outcome.withLock { $0 = told.text }
        }
        return outcome.withLock { $0 }
    }

    private func end(_ ticket: String, _ server: RunningServer) async throws {
        try await eventually {
            let answer = try await server.ask(.GET, "/v1/erasures", headers: ["X-Farewell-Ticket": ticket])
            return answer.json["state"] as? String == "done"
        }
    }
}
