// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Systems of others, and workers killed while they are asked", .serialized)
struct SystemCrashTests {
    @Test(
        "F1 F12 killed with -9 while every system has been asked, before or after it has erased: the next worker ends it",
        arguments: [(SQLDialect.sqlite, "before"), (.postgresql, "after")])
    func killed(_ dialect: SQLDialect, _ moment: String) async throws {
        try await ErasurePlace.with(dialect, people: 2) { people in
            let systems = try SystemsOutside(people.place.folder)
            let subject = people.key(0)
            try systems.join(people.place.folder.appendingPathComponent("plan.yaml"), kinds: SystemsOutside.firebase)
            for kind in SystemsOutside.firebase { try await systems.settle(kind, subject) }
            let before = try await systems.censuses(SystemsOutside.firebase)
            #expect(before.values.allSatisfy { census in census.keys.contains { $0.contains(subject) } })
            let ticket = Guarded("")
            for kind in SystemsOutside.firebase { _ = try await systems.vendors("POST", "/stall/\(kind)", moment) }
            try await people.place.serving(people.settings()) { server in
                let told = try await ask(server, as: people.signIn(0, server))
                ticket.withLock { $0 = told }
                // All of them are being asked, side by side.
                for kind in SystemsOutside.firebase { #expect(try await systems.vendors("GET", "/stalled/\(kind)") as? Bool == true) }
                server.signal(SIGKILL)
            }
            _ = try await systems.vendors("POST", "/release")
            try await people.place.serving(people.settings()) { server in try await end(ticket.withLock { $0 }, server) }
            let after = try await systems.censuses(SystemsOutside.firebase)
            for (kind, census) in before {
                let kept = census.filter { !SystemsOutside.isOf(subject, $0.key) }
                #expect(after[kind] == kept, "\(kind)")
            }
            #expect(try await people.count(0) == 0)
        }
    }

    @Test(
        "a service that accepted calls back while nobody listens, and is heard after the restart; nobody else is",
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
                #expect(try await server.ask(.POST, "/v1/systems/told/messages", json: forged).status == 401)
                #expect(try await server.ask(.POST, "/v1/systems/nobody/messages", json: forged).status == 404)
                try await end(ticket.withLock { $0 }, server)
                // Told again it is heard again, and nothing comes of it.
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

    private func end(_ ticket: String, _ server: RunningServer) async throws {
        try await eventually {
            let answer = try await server.ask(.GET, "/v1/erasures", headers: ["X-Farewell-Ticket": ticket])
            return answer.json["state"] as? String == "done"
        }
    }
}
