// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("Erasures by running servers and workers")
struct ErasureServiceTests {
    @Test(
        "BX-5 with the setting on, a server searches every table for each erased subject, and the receipt lists the findings",
        arguments: SQLDialect.allCases)
    func deepScan(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 3) { place in
            let messages = dialect == .postgresql ? "public.messages" : "messages"
            _ = try await place.query("UPDATE \(messages) SET content = 'ask \(place.key(1))' WHERE user_id = '\(place.key(2))'")
            let neighbours = try await place.rows(without: [1], of: .app)
            try await place.place.serving(place.settings("deep-scan: 100000")) { server in
                let mine = try await place.signIn(1, server)
                let fields = ["Idempotency-Key": "k", "Prefer": "wait=180"]
                let asked = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: fields)
                #expect(asked.status == 200, "\(asked)")
                let (id, ticket) = (asked.json["id"] as? String ?? "", asked.json["ticket"] as? String ?? "")
                let receipt = try await server.ask(.GET, "/v1/erasures/\(id)/receipt", headers: ["X-Farewell-Ticket": ticket])
                let verification = try #require(try CompactToken(receipt.text).unprovenClaims["verification"])
                #expect("\(verification)".contains("messages.content"), "\(verification)")
            }
            #expect(try await place.rows(without: [1], of: .app) == neighbours)
        }
    }

    @Test(
        "SV-1 SV-2 SV-3 SV-8 the reference systems' calls against a running server: status, body, headers, database before and after",
        arguments: SQLDialect.allCases)
    func contracts(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 8) { place in
            try await place.place.serving(place.settings()) { server in
                let neighbour = try await place.signIn(7, server)
                let neighbours = try await place.rows(without: 0..<4)
                #expect(neighbours.contains { $0.hasPrefix("auth") && $0.contains("sessions|") })
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
                #expect(try await place.rows(without: 0..<4) == neighbours)
                #expect(try await place.rows(without: []) == neighbours, "nothing of those who left is left")
                #expect(try await server.isAccepted(neighbour.access))
                #expect(try await server.refresh(neighbour.refresh).status == 200)
            }
        }
    }

    @Test(
        "SV-5 muse: ordered tables without cascades are erased through the endpoint, reported system by system",
        arguments: SQLDialect.allCases)
    func muse(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, .muse, people: 6) { place in
            let systems = "systems: [cognito=identity, dynamodb_userprofiles=profiles]"
            try await place.place.serving(place.settings(systems)) { server in
                let mine = try await place.signIn(2, server)
                #expect(try await place.count(2) > 20)
                let kept = try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: mine.access)
                #expect(kept.status == 409, "\(kept)")
                let done = try await server.ask(.DELETE, "/me/account", token: mine.access)
                #expect(done.status == 200, "\(done)")
                #expect(done.json["deleted"] as? [String: Bool] == ["cognito": true, "dynamodb_userprofiles": true])
                #expect(try await place.count(2) == 0)
            }
        }
    }

    /// The app's tables of muse in the order in which their rows can go, and how each names a person.
    private static let museTables = [
        ("messages", ["sender_id", "receiver_id"]), ("conversations", ["user1_id", "user2_id"]),
        ("reported_users", ["reporter_id", "reported_id"]), ("muse_interactions", ["user_id"]), ("feedback", ["user_id"]),
        ("matches", ["user1_id", "user2_id"]), ("swipes", ["swiper_id", "swiped_id"]), ("user_languages", ["user_id"]),
        ("user_preferences", ["user_id"]), ("invites", ["inviter_id"]), ("profiles", ["id"]),
    ]

    @Test(
        "SV-3 muse: once the app has deleted the rows of all its eleven tables, and not before, the call ends account and sessions",
        arguments: SQLDialect.allCases)
    func museProcedure(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, .muse, people: 6) { place in
            let neighbours = try await place.rows(without: [2])
            let schema = dialect == .postgresql ? "public." : ""
            try await place.place.serving(place.settings()) { server in
                let mine = try await place.signIn(2, server)
                let tablet = try await server.signIn(mine.email)
                for (table, columns) in Self.museTables {
                    let kept = try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: mine.access)
                    #expect(kept.status == 409 && kept.json["code"] as? String == "23503", "before \(table): \(kept)")
                    let named = columns.map { "\($0) = '\(place.key(2))'" }.joined(separator: " OR ")
                    _ = try await place.query("DELETE FROM \(schema)\(table) WHERE \(named)")
                }
                let own = try await place.own(2)
                #expect(own.count >= 3 && own.allSatisfy { $0.hasPrefix("auth") }, "the account and two sessions: \(own)")
                for _ in 1...2 {
                    let done = try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: mine.access)
                    #expect(done.status == 204 && done.body.isEmpty, "\(done)")
                }
                #expect(try await place.count(2) == 0)
                for device in [mine, tablet] {
                    #expect(try await !server.isAccepted(device.access))
                    #expect(try await server.refresh(device.refresh).status == 400)
                }
            }
            #expect(try await place.rows(without: [2]) == neighbours)
            #expect(try await place.rows(without: []) == neighbours)
        }
    }

    @Test(
        "SV-1 SV-3 SV-9 the published client supabase signs users in and deletes them: functions, rpc, repeated requests",
        arguments: [SamplePeople.Profile.coachme, .muse], SQLDialect.allCases)
    func publishedClient(_ profile: SamplePeople.Profile, _ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, profile, people: 6) { place in
            let neighbours = try await place.rows(without: 0..<3)
            try await place.place.serving(place.settings()) { server in
                var addresses: [String] = []
                for index in 0..<3 { addresses.append(try await place.signIn(index, server).email) }
                let kept = profile == .muse ? ["--kept"] : []
                let end = try await Python.run(
                    "Interop/supabase_deletion.py", [server.url, SignedIn.password] + addresses + kept)
                #expect(end.status == 0, "\(end)")
            }
            #expect(try await place.rows(without: 0..<3) == neighbours)
            #expect(try await place.rows(without: []) == neighbours, "nothing of those who left is left")
        }
    }

    @Test(
        "SV-1 SV-2 SV-3 the reference systems' calls as curl makes them",
        arguments: [SamplePeople.Profile.coachme, .muse], SQLDialect.allCases)
    func curl(_ profile: SamplePeople.Profile, _ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, profile, people: 5) { place in
            let neighbours = try await place.rows(without: 0..<3)
            let systems = profile == .muse ? "systems: [cognito=identity, dynamodb_userprofiles=profiles]" : ""
            try await place.place.serving(place.settings(systems)) { server in
                for (index, call) in CurlCall.all(profile).enumerated() {
                    let nobody = try await Self.curl(server, call.words)
                    #expect(nobody.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), "\(nobody)")
                    #expect(nobody.lowercased().contains("\r\nwww-authenticate: bearer"), "\(nobody)")
                    let mine = try await place.signIn(index, server)
                    let before = try await place.own(index)
                    #expect(before.count > 10)
                    let given = ["-H", "Authorization: Bearer \(mine.access)", "-H", "apikey: public"]
                    let answer = try await Self.curl(server, given + call.words)
                    #expect(answer.hasPrefix("HTTP/1.1 \(call.status)\r\n") && answer.hasSuffix("\r\n\r\n" + call.body), "\(answer)")
                    let fields = answer.lowercased()
                    #expect(fields.contains("\r\ncache-control: no-store"), "\(answer)")
                    #expect(fields.contains("\r\ncontent-type: application/json") == !call.body.isEmpty, "\(answer)")
                    #expect(try await place.own(index) == (call.outcome == .gone ? [] : before), "\(call.words)")
                    #expect(try await server.isAccepted(mine.access) == (call.outcome == .kept))
                }
            }
            #expect(try await place.rows(without: 0..<3) == neighbours)
            #expect(try await place.rows(without: profile == .muse ? [2] : []) == neighbours)
        }
    }

    /// One of the reference systems' calls, and its expected answer.
    private struct CurlCall {
        enum Outcome { case gone, kept }

        let words: [String]
        let status: String
        let body: String
        var outcome = Outcome.gone

        static func all(_ profile: SamplePeople.Profile) -> [CurlCall] {
            let deleted = profile == .muse ? #"{"cognito":true,"dynamodb_userprofiles":true}"# : #"{"rows":true}"#
            return [
                CurlCall(
                    words: ["-X", "POST", "/functions/v1/delete-account"], status: "200 OK", body: #"{"data":{"success":true}}"#),
                CurlCall(
                    words: ["-X", "DELETE", "/me/account"], status: "200 OK",
                    body: #"{"deleted":\#(deleted),"message":"User account deleted successfully","success":true}"#),
                profile == .muse ? refused : CurlCall(words: procedure, status: "204 No Content", body: ""),
            ]
        }

        private static let procedure = ["-d", "{}", "/rest/v1/rpc/delete_auth_user"]
        /// Nothing cascades there: the account's rows have to go first.
        private static let refused = CurlCall(
            words: procedure, status: "409 Conflict",
            body: #"{"code":"23503","message":"Rows of the account are still there; delete them first."}"#, outcome: .kept)
    }

    /// Everything curl prints, header fields first; the last word is the path.
    private static func curl(_ server: RunningServer, _ words: [String]) async throws -> String {
        let result = try await Subprocess.run(
            .name("curl"), arguments: .init(["-si", "--max-time", "240"] + words.dropLast() + words.suffix(1).map { server.url + $0 }),
            output: .string(limit: 1 << 20))
        return result.standardOutput
    }

    @Test(
        "Item 27 F9: Apple's notice of withdrawn consent is verified, and signs the user out at once, and only once",
        arguments: SQLDialect.allCases)
    func apple(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            let script = "Interop/sign_in_with_apple.py"
            let port = try await Python.freePort()
            let apple = "apple: {client-ids: [org.example.app], keys: 'http://127.0.0.1:\(port)/keys'}\n"
            try await place.place.serving(apple + place.settings("apple-events: on")) { server in
                let end = try await Python.run(script, ["notify", server.url, port])
                #expect(end.status == 0, "\(end)")
            }
        }
    }

    @Test("F17 a writer that continues is stopped by the fence, or its rows are swept; no data of the subject is left")
    func fence() async throws {
        try await ErasurePlace.with(.postgresql, people: 4) { place in
            let script = try await place.place.call(["fence", "--sql", "--plan", "plan.yaml"])
            #expect(script.status == 0 && script.output.contains("CREATE TRIGGER"), "\(script)")
            try await place.place.serving(place.settings("concurrency: 0")) { server in
                let database = try openDatabase(place.place.address)
                try await Self.run(script.output, in: database)
                let mine = try await place.signIn(1, server)
                let asked = try await server.ask(
                    .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k"])
                #expect(asked.status == 202)
                #expect(!script.output.contains("ON \"auth\""), "the authority's tables are left alone")
                try await Self.signedIn(place, 2, at: server, closedBy: script.output)
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
                    _ = try await place.working(place.settings("concurrency: 1")) { _ in
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

    private static func run(_ script: String, in database: any SQLDatabase) async throws {
        try await database.withConnection { connection in
            for statement in script.components(separatedBy: ";\n\n") where !statement.isEmpty {
                for part in statement.components(separatedBy: ";\nCREATE TRIGGER").enumerated() {
                    let text = part.offset == 0 ? part.element : "CREATE TRIGGER" + part.element
                    _ = try await connection.run(SQLStatement(text.trimmingCharacters(in: .whitespacesAndNewlines)))
                }
            }
        }
    }

    /// A closed user can sign in and try again. If a script of an earlier version prevents that, they get the answer of a stranger, until
    /// the present script removes its trigger.
    private static func signedIn(
        _ place: ErasurePlace, _ index: Int, at server: RunningServer, closedBy script: String
    ) async throws {
        let email = try await place.signIn(index, server).email
        let body = #"{"email":"\#(email)","password":"\#(SignedIn.password)"}"#
        let key = place.key(index)
        _ = try await place.query(
            """
            INSERT INTO farewell.fences (mark, erasure, epoch, closed_at)
            SELECT encode(sha256(convert_to((SELECT s.salt FROM farewell.fence_salt AS s) || '\(key)', 'UTF8')), 'hex'), e.id, 9, now()
            FROM farewell.erasures AS e RETURNING 1
            """)
        let closed = try await place.query(
            "SELECT farewell.closed_since('\(key)'), farewell.closed_since(upper('\(key)')), farewell.closed_since('\(key) ')")
        #expect(closed == [[.integer(9), .integer(9), .null]], "a UUID is known however it is spelled")
        let signIn = "/auth/v1/token?grant_type=password"
        #expect(try await server.ask(.POST, signIn, json: body).status == 200, "a person who is closed can sign in")
        let database = try openDatabase(place.place.address)
        try await run(
            """
            CREATE TRIGGER farewell_fence_99 BEFORE INSERT OR UPDATE OF user_id ON auth.sessions
            FOR EACH ROW EXECUTE FUNCTION farewell.refuse_closed('user_id')
            """, in: database)
        let answer = try await server.ask(.POST, signIn, json: body)
        #expect(answer.status == 400 && answer.json["error_code"] as? String == "invalid_credentials", "\(answer)")
        try await run(script, in: database)
        await database.close()
        #expect(try await server.ask(.POST, signIn, json: body).status == 200, "an earlier trigger is taken down")
        _ = try await place.query("DELETE FROM farewell.fences WHERE epoch = 9 RETURNING 1")
    }
}
