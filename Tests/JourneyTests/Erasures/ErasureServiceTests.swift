// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("Erasures by running servers and workers", .serialized)
struct ErasureServiceTests {
    @Test(
        "SV-1 SV-2 SV-3 SV-8 the reference systems' calls against a running server: status, body, headers, database before and after",
        arguments: SQLDialect.allCases)
    func contracts(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 8) { place in
            let neighbours = try await place.rows(without: 0..<4)
            try await place.place.serving(place.settings()) { server in
                let preflight = try await server.ask(
                    .OPTIONS, "/functions/v1/delete-account",
                    headers: ["Origin": "https://app.example", "Access-Control-Request-Method": "POST"])
                #expect(
                    preflight.status == 204 && preflight.headers.first(name: "Access-Control-Allow-Headers")?.contains("apikey") == true)
                for (index, name) in ["delete-account", "delete-user"].enumerated() {
                    let mine = try await place.signIn(index, server)
                    let tablet = try await server.signIn(mine.email)
                    #expect(try await place.count(index) > 10)
                    let refused = try await server.ask(.POST, "/functions/v1/\(name)")
                    #expect(refused.status == 401 && refused.json["error"] is [String: Any], "\(refused)")
                    let path = "/functions/v1/\(name)"
                    let done = try await server.ask(
                        .POST, path, token: mine.access, json: #"{"user_id":"\#(place.key(7))"}"#, headers: ["apikey": "public"])
                    #expect(done.status == 200 && done.text == #"{"data":{"success":true}}"#, "\(done)")
                    #expect(try await place.count(index) == 0)
                    #expect(try await !server.isAccepted(mine.access))
                    #expect(try await !server.isAccepted(tablet.access))
                    let again = try await server.ask(.POST, path, token: mine.access)
                    #expect(again.status == 200, "SV-9 a lost answer is asked for again: \(again)")
                    #expect(try await server.refresh(mine.refresh).status == 400)
                }
                let mine = try await place.signIn(2, server)
                let account = try await server.ask(.DELETE, "/me/account", token: mine.access)
                #expect(
                    account.status == 200
                        && account.text == #"{"deleted":{"rows":true},"message":"User account deleted successfully","success":true}"#,
                    "\(account)")
                #expect(try await place.count(2) == 0)
                let nobody = try await server.ask(.DELETE, "/me/account")
                #expect(nobody.status == 401 && nobody.text == #"{"error":"Unauthorized - missing user identity"}"#)

                let last = try await place.signIn(3, server)
                let procedure = try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: last.access, json: "{}")
                #expect(procedure.status == 204 && procedure.body.isEmpty, "\(procedure)")
                #expect(try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: last.access).status == 204)
                let left = Set(try await place.rows(without: [])).subtracting(try await place.rows(without: [3]))
                #expect(left.isEmpty, "the app's rows cascade")
            }
            #expect(try await place.rows(without: 0..<4) == neighbours)
            let verified = try await place.place.call(["audit", "verify"])
            _ = verified
        }
    }

    @Test("SV-5 muse: ordered tables without cascades go through the endpoint, told system by system", arguments: SQLDialect.allCases)
    func muse(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, .muse, people: 6) { place in
            let systems = "systems: [cognito=identity, dynamodb_userprofiles=profiles]"
            try await place.place.serving(place.settings(systems)) { server in
                let mine = try await place.signIn(2, server)
                #expect(try await place.count(2) > 20)
                let kept = try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: mine.access)
                #expect([409, 204].contains(kept.status), "\(kept)")
                guard kept.status == 409 else { return }
                let done = try await server.ask(.DELETE, "/me/account", token: mine.access)
                #expect(done.status == 200, "\(done)")
                #expect(done.json["deleted"] as? [String: Bool] == ["cognito": true, "dynamodb_userprofiles": true])
                #expect(try await place.count(2) == 0)
            }
        }
    }

    @Test("BX-4 F1 F2 servers and workers on one PostgreSQL, workers killed all the while: everybody is erased once, nobody else touched")
    func killedWorkers() async throws {
        let leaving = 120
        try await ErasurePlace.with(.postgresql, people: leaving + 10) { place in
            let neighbours = try await place.rows(without: 0..<leaving)
            let settings = place.settings("lanes: 1\nbatch: 5\nlease: 5")
            let asking = place.settings("lanes: 0")
            try await place.place.serving(asking) { server in
                for index in 0..<leaving {
                    let mine = try await place.signIn(index, server)
                    let asked = try await server.ask(
                        .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k\(index)"])
                    #expect(asked.status == 202, "\(asked)")
                }
                let done: @Sendable () async throws -> Int = {
                    Int(try await place.query("SELECT count(*) FROM farewell.erasures WHERE state = 'done'")[0][0].integer ?? 0)
                }
                #expect(try await done() == 0)
                // Killed once they have got somewhere, until all is done; the last one is asked to stop.
                var rounds = 0
                while try await done() < leaving {
                    rounds += 1
                    let before = try await done()
                    let isKilled = rounds % 2 == 1
                    _ = try await place.working(settings) { worker in
                        try await eventually {
                            let now = try await done()
                            return now >= min(before + 15, leaving)
                        }
                        if isKilled { kill(worker.value, SIGKILL) }
                    }
                    try #require(rounds < 60)
                }
                #expect(rounds > 2)
            }
            #expect(try await place.rows(without: 0..<leaving) == neighbours)
            #expect(try await place.rows(without: []) == neighbours, "nothing of those who left is left")
            let receipts = try await place.query(
                "SELECT count(*), count(DISTINCT subject_hash), count(receipt) FROM farewell.erasures WHERE state = 'done'")
            #expect(receipts == [[.integer(120), .integer(120), .integer(120)]])
            #expect(try await place.query("SELECT count(*) FROM farewell.ledger") == [[.integer(120)]])
        }
    }

    @Test("F17 a writer that goes on writing is stopped by the fence, or swept; nothing of the person is left")
    func fence() async throws {
        try await ErasurePlace.with(.postgresql, people: 4) { place in
            let script = try await place.place.call(["fence", "--sql", "--plan", "plan.yaml"])
            #expect(script.status == 0 && script.output.contains("CREATE TRIGGER"), "\(script)")
            try await place.place.serving(place.settings("lanes: 0")) { server in
                let database = try openDatabase(place.place.address)
                try await database.withConnection { connection in
                    for statement in script.output.components(separatedBy: ";\n\n") where !statement.isEmpty {
                        for part in statement.components(separatedBy: ";\nCREATE TRIGGER").enumerated() {
                            let text = part.offset == 0 ? part.element : "CREATE TRIGGER" + part.element
                            _ = try await connection.run(SQLStatement(text.trimmingCharacters(in: .whitespacesAndNewlines)))
                        }
                    }
                }
                let mine = try await place.signIn(1, server)
                let asked = try await server.ask(
                    .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k"])
                #expect(asked.status == 202)
                let key = place.key(1)
                let insert = SQLStatement(
                    "INSERT INTO public.usage_logs (user_id, model, input_tokens, output_tokens, cost_usd) VALUES ($1::uuid, 'm', 1, 1, 0)",
                    [.text(key)])
                let state = "SELECT state, cause FROM farewell.erasures"
                let refusals = Guarded<Set<String>>([])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        while !Task.isCancelled {
                            do {
                                _ = try await database.withConnection { try await $0.run(insert) }
                            } catch let error as FarewellError {
                                refusals.withLock { _ = $0.insert(error.code.rawValue) }
                            } catch {
                                return
                            }
                        }
                    }
                    _ = try await place.working(place.settings("lanes: 1")) { _ in
                        try await eventually {
                            try await ["done", "needs attention"].contains(place.query(state).first?.first?.text)
                        }
                    }
                    group.cancelAll()
                }
                await database.close()
                #expect(try await place.query(state) == [[.text("done"), .null]])
                #expect(refusals.withLock { $0 }.isSubset(of: ["sql.FW001", "sql.23503", "sql.57014"]), "\(refusals.withLock { $0 })")
                #expect(refusals.withLock { !$0.isEmpty })
                #expect(try await place.count(1) == 0)
                #expect(try await place.query("SELECT count(*) FROM farewell.fences") == [[.integer(0)]])
            }
        }
    }
}
