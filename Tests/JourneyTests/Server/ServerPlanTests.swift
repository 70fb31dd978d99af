// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import Foundation
import NIOHTTP1
import Testing

@Suite("A server starts with a plan that does not fit, and erasures wait until it does")
struct ServerPlanTests {
    @Test(
        "OP-2 a first start serves sign-in although its plan omits users and sessions", .timeLimit(.minutes(30)),
        arguments: SQLDialect.allCases)
    func firstStart(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let isPostgreSQL = dialect == .postgresql
            let address = isPostgreSQL ? place.address : "sqlite:" + place.folder.appendingPathComponent("app.sqlite").path
            let app = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
            try await app.withConnection { _ = try await $0.run("CREATE TABLE members (id integer PRIMARY KEY, name text)") }
            await app.close()
            let subject = isPostgreSQL ? "public.members.id" : "members.id"
            let made = try await place.call(["init", "--database", address, "--subject", subject, "--plan", "plan.yaml"])
            try #require(made.status == 0, "\(made)")
            let status = try await place.serving(
                ServerPlace.generous + "erasures: {plan: plan.yaml}", arguments: ["--port", "0", "--database-url", address]
            ) { server in
                let signedUp = try await server.ask(
                    .POST, "/auth/v1/signup", json: #"{"email":"ann@example.org","password":"correct horse battery"}"#)
                #expect(signedUp.status == 200, "\(signedUp)")
                let ready = try await server.ask(.GET, "/readyz")
                #expect(ready.status == 200 && ready.json["erasures"] as? String == "waiting", "\(ready)")
                var told = ""
                try await eventually {
                    told = try String(contentsOf: place.log, encoding: .utf8)
                    return told.contains("The plan does not fit the database: erasures wait")
                }
                #expect(told.contains(isPostgreSQL ? "auth.users" : "auth_users"))
            }
            #expect(status == 0)
        }
    }

    @Test(
        "OP-2 a server starts with a plan that lacks a table; a parked erasure continues once the table is gone",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func otherSchema(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            _ = try await place.query("CREATE TABLE strangers (id integer PRIMARY KEY, name text)")
            let fresh = ["--database-url", place.place.address, "--state", "fresh"]
            let other = try await started(place.place, place.settings(), fresh)
            #expect(other.status == 2 && other.errors.contains("keys of this state directory cannot open"), "\(other)")
            #expect(!FileManager.default.fileExists(atPath: place.place.folder.appendingPathComponent("fresh").path))
            let status = try await place.place.serving(place.settings()) { server in
                let mine = try await place.signIn(1, server)
                let fields = ["Idempotency-Key": "k", "Prefer": "wait=180"]
                let parked = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: fields)
                #expect(parked.status == 202 && parked.json["state"] as? String == "needs attention", "\(parked)")
                #expect(try await server.ask(.GET, "/readyz").json["erasures"] as? String == "waiting")
                let erasures = dialect == .postgresql ? "farewell.erasures" : "farewell_erasures"
                let found = try await place.query("SELECT cause_code, cause FROM \(erasures)")
                #expect(found.first?.first == .text("plan.unaccounted"))
                #expect(found.first?.last?.text?.contains("strangers") == true, "the true cause: \(found)")
                #expect(try await place.count(1) > 0)
                // The code decides, and not the words, which another release may write differently.
                _ = try await place.query("UPDATE \(erasures) SET cause = 'Other words.'")
                _ = try await place.query("DROP TABLE strangers")
                try await eventually { try await place.count(1) == 0 }
                let ready = try await server.ask(.GET, "/readyz")
                #expect(ready.json["erasures"] == nil && ready.status == 200, "\(ready)")
            }
            #expect(status == 0)
        }
    }

    @Test(
        "OP-2 without the subject's table the server accepts no erasure, and sign-in works",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func noSubject(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            let file = place.place.folder.appendingPathComponent("plan.yaml")
            let plan = try String(contentsOf: file, encoding: .utf8)
            let subject = "\(place.people.subject(dialect).table)"
            try Data(plan.replacing("table: \(subject)", with: "table: \(subject)_not_yet").utf8).write(to: file)
            let status = try await place.place.serving(place.settings()) { server in
                let mine = try await place.signIn(1, server)
                for (method, path) in [
                    (HTTPMethod.POST, "/v1/erasures"), (.POST, "/functions/v1/delete-account"), (.DELETE, "/me/account"),
                ] {
                    let refused = try await server.ask(method, path, token: mine.access, headers: ["Idempotency-Key": "k"])
                    #expect(refused.status == 503, "never an answer that the account is unknown: \(path): \(refused)")
                }
                try Data(plan.utf8).write(to: file)
                server.signal(SIGHUP)
                try await eventually { try log(place).contains("Plan reloaded") }
                let fields = ["Idempotency-Key": "k", "Prefer": "wait=180"]
                let done = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: fields)
                #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
            }
            #expect(status == 0)
        }
    }

    @Test(
        "OP-2 after a schema change a running server reports that erasures wait; they continue once the plan fits again",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func changedMeanwhile(_ dialect: SQLDialect) async throws {
        let strangers = dialect == .postgresql ? "public.strangers" : "strangers"
        try await ErasurePlace.with(dialect, people: 2) { place in
            let settings = place.settings() + (try await place.place.offeringMetrics())
            let status = try await place.place.serving(settings) { server in
                let mine = try await place.signIn(1, server)
                #expect(try await server.ask(.GET, "/readyz").json["erasures"] == nil)
                #expect(try await server.metrics().text.contains("farewell_plan_fits 1\n"))
                _ = try await place.query("CREATE TABLE \(strangers) (id integer PRIMARY KEY, name text)")
                try await eventually { try await server.ask(.GET, "/readyz").json["erasures"] as? String == "waiting" }
                let operators = try await server.operations(.GET, "/readyz")
                #expect(operators.status == 200 && operators.text.contains("strangers"), "\(operators)")
                // A web page whose name was pointed at this address (DNS rebinding) reads no names of tables.
                let page = try await server.operations(.GET, "/readyz", headers: ["Host": "page.example.net"])
                #expect(page.status == 200 && page.json["erasures"] as? String == "waiting", "\(page)")
                #expect(!page.text.contains("strangers"), "\(page)")
                try await eventually { try log(place).contains("The plan does not fit the database: erasures wait") }

                let fields = ["Idempotency-Key": "k", "Prefer": "wait=180"]
                let parked = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: fields)
                #expect(parked.status == 202 && parked.json["state"] as? String == "needs attention", "\(parked)")
                #expect(try await place.count(1) > 0)
                let metrics = try await server.metrics().text
                #expect(metrics.contains("farewell_plan_fits 0\n"), "\(metrics)")
                #expect(metrics.contains("farewell_erasures{state=\"needs attention\"} 1\n"), "\(metrics)")
                let shown = try await place.place.call(["status", "--database", place.place.address, "--plan", "plan.yaml"])
                #expect(shown.output.contains("strangers"), "\(shown)")

                _ = try await place.query("DROP TABLE \(strangers)")
                try await eventually { try await place.count(1) == 0 }
                try await eventually {
                    let ready = try await server.ask(.GET, "/readyz")
                    return ready.status == 200 && ready.json["erasures"] == nil
                }
                try await eventually { try await server.metrics().text.contains("farewell_plan_fits 1\n") }
            }
            #expect(status == 0)
        }
    }

    @Test(
        "OP-2 whatever an app's migration changes under a server and a worker, erasures wait with the true cause, then continue",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func migrated(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 7) { place in
            let app = dialect == .postgresql ? "public." : ""
            let everywhere = [
                (
                    "CREATE TABLE \(app)likes (id integer PRIMARY KEY, user_id \(dialect == .postgresql ? "uuid" : "text") "
                        + "REFERENCES \(app)users (id))", "DROP TABLE \(app)likes", "likes"
                ),
                (
                    "ALTER TABLE \(app)messages RENAME COLUMN token_count TO tokens",
                    "ALTER TABLE \(app)messages RENAME COLUMN tokens TO token_count", "messages"
                ),
                (
                    "ALTER TABLE \(app)usage_logs RENAME TO older_logs", "ALTER TABLE \(app)older_logs RENAME TO usage_logs",
                    "usage_logs"
                ),
            ]
            let typed = [
                (
                    "ALTER TABLE public.messages ALTER COLUMN token_count TYPE bigint",
                    "ALTER TABLE public.messages ALTER COLUMN token_count TYPE integer", "messages"
                )
            ]
            let changes = everywhere + (dialect == .postgresql ? typed : [])
            @Sendable func walk(_ server: RunningServer) async throws {
                for (number, step) in changes.enumerated() {
                    let (change, undone, name) = step
                    let mine = try await place.signIn(number + 1, server)
                    _ = try await place.query(change)
                    // Without any erasure, too.
                    try await eventually { try await server.ask(.GET, "/readyz").json["erasures"] as? String == "waiting" }
                    try await eventually { try log(place).contains(name) }
                    try await self.expectWaiting(server, place, mine, number, change)
                    _ = try await place.query(undone)
                    try await eventually { try await server.ask(.GET, "/readyz").json["erasures"] == nil }
                    try await self.expectErased(server, place, mine, number)
                }
                // A table of the plan is dropped for good, and the plan corrected.
                let last = changes.count
                let mine = try await place.signIn(last + 1, server)
                _ = try await place.query("DROP TABLE \(app)usage_logs")
                try await self.expectWaiting(server, place, mine, last, "DROP TABLE")
                try await follow(place) { plan in
                    plan.tables.removeAll { $0.table.name == "usage_logs" }
                    plan.questions.removeAll { $0.table.name == "usage_logs" }
                }
                try await eventually { try await server.ask(.GET, "/readyz").json["erasures"] == nil }
                try await self.expectErased(server, place, mine, last)
            }
            // With SQLite the server itself does the work.
            let settings = place.settings(dialect == .postgresql ? "concurrency: 0" : "")
            let status = try await place.place.serving(settings) { server in
                if dialect == .sqlite { return try await walk(server) }
                try await place.working(place.settings()) { _ in try await walk(server) }
            }
            #expect(status == 0)
            let told = try log(place).split(separator: "\n").filter { $0.contains("The plan does not fit the database") }
            #expect(told.count >= changes.count, "\(told)")
        }
    }

    private static func fields(_ number: Int) -> [String: String] { ["Idempotency-Key": "k\(number)", "Prefer": "wait=180"] }

    /// A request is parked with its cause or refused for now, and deletes nothing.
    private func expectWaiting(
        _ server: RunningServer, _ place: ErasurePlace, _ mine: SignedIn, _ number: Int, _ change: String
    ) async throws {
        let answer = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: Self.fields(number))
        let isParked = answer.json["state"] as? String == "needs attention"
        let isRefused = answer.status == 503 && answer.json["error_code"] as? String == "erasure.plan-unfit"
        #expect(isParked || isRefused, "\(change): \(answer)")
        #expect(try await place.count(number + 1) > 0, "\(change)")
    }

    private func expectErased(_ server: RunningServer, _ place: ErasurePlace, _ mine: SignedIn, _ number: Int) async throws {
        // A parked erasure has gone on by itself; a refused request is repeated.
        if try await place.count(number + 1) > 0 {
            _ = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: Self.fields(number))
        }
        try await eventually { try await place.count(number + 1) == 0 }
    }

    @Test(
        "OP-2 a request that sees a migration before the server waits or is asked to retry, and is carried out once the plan fits",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func atOnce(_ dialect: SQLDialect) async throws {
        let logs = dialect == .postgresql ? "public.usage_logs" : "usage_logs"
        let renamed = (
            "ALTER TABLE \(logs) RENAME COLUMN user_id TO person", "ALTER TABLE \(logs) RENAME COLUMN person TO user_id"
        )
        let typed = (
            "ALTER TABLE public.usage_logs DROP CONSTRAINT usage_logs_user_id_fkey, ALTER COLUMN user_id TYPE text",
            "ALTER TABLE public.usage_logs ALTER COLUMN user_id TYPE uuid USING user_id::uuid, ADD CONSTRAINT "
                + "usage_logs_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users (id) ON DELETE CASCADE"
        )
        let changes: [(String, String)] = dialect == .postgresql ? [renamed, typed] : [renamed]
        try await ErasurePlace.with(dialect, people: 4) { place in
            let status = try await place.place.serving(place.settings()) { server in
                for (number, step) in changes.enumerated() {
                    let (change, undone) = step
                    let mine = try await place.signIn(number + 1, server)
                    _ = try await place.query(change)
                    try await expectWaiting(server, place, mine, number, change)
                    try await eventually { try await server.ask(.GET, "/readyz").json["erasures"] as? String == "waiting" }
                    // The log reports it although a request found it.
                    try await eventually {
                        try log(place).split(separator: "\n").filter { $0.contains("The plan does not fit the database") }.count
                            > number
                    }
                    _ = try await place.query(undone)
                    try await eventually { try await server.ask(.GET, "/readyz").json["erasures"] == nil }
                    try await expectErased(server, place, mine, number)
                }
            }
            #expect(status == 0)
        }
    }

    @Test(
        "no keys are created where the settings are impossible", .timeLimit(.minutes(30)),
        arguments: [
            ("apple-events: \"on\"", "apple.client-ids is not set"),
            ("issuers: [firebase one, firebase one]", "An issuer is named twice."),
        ])
    func impossible(_ setting: String, _ words: String) async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            let arguments = ["--database-url", place.place.address, "--state", "fresh"]
            let end = try await started(place.place, place.settings(setting), arguments)
            #expect(end.status == 2 && end.errors.contains(words) && end.output.isEmpty, "\(end)")
            #expect(!FileManager.default.fileExists(atPath: place.place.folder.appendingPathComponent("fresh").path))
        }
    }

    @Test(
        "OP-2 a running server adopts a corrected plan, and erasures parked under the old one continue without a release",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func reloaded(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 3) { place in
            let status = try await place.place.serving(place.settings()) { server in
                let fields = ["Idempotency-Key": "k", "Prefer": "wait=180"]
                let (first, second) = (try await place.signIn(1, server), try await place.signIn(2, server))
                let messages = dialect == .postgresql ? "public.messages" : "messages"
                _ = try await place.query("ALTER TABLE \(messages) ADD COLUMN mood text")
                server.signal(SIGHUP)
                try await eventually { try log(place).contains("Plan not reloaded; the old one stays active") }
                let parked = try await server.ask(.POST, "/v1/erasures", token: first.access, headers: fields)
                #expect(parked.status == 202 && parked.json["state"] as? String == "needs attention", "\(parked)")

                try await follow(place)
                try await eventually { try log(place).contains("Plan reloaded") }
                let done = try await server.ask(.POST, "/v1/erasures", token: second.access, headers: fields)
                #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
                #expect(try await place.count(2) == 0)
                // The parked one continues automatically.
                try await eventually { try await place.count(1) == 0 }
            }
            #expect(status == 0)
        }
    }

    /// Has the plan follow the schema, changed.
    private func follow(_ place: ErasurePlace, _ change: (inout Plan) -> Void) async throws {
        let database = try openDatabase(place.place.address)
        let schema = try await Schema.read(from: database)
        await database.close()
        let file = place.place.folder.appendingPathComponent("plan.yaml")
        var plan = try PlanFile.load(path: file.path)
        change(&plan)
        plan.schemaFingerprint = plan.fingerprint(of: schema)
        try Data(PlanFile.text(for: plan).utf8).write(to: file, options: .atomic)
    }

    private func log(_ place: ErasurePlace) throws -> String { try String(contentsOf: place.place.log, encoding: .utf8) }

    /// Has the plan follow the schema, which has a column more.
    private func follow(_ place: ErasurePlace) async throws {
        let database = try openDatabase(place.place.address)
        let schema = try await Schema.read(from: database)
        await database.close()
        let file = place.place.folder.appendingPathComponent("plan.yaml")
        let fingerprint = try PlanFile.load(path: file.path).fingerprint(of: schema)
        let plan = try String(contentsOf: file, encoding: .utf8).replacing("token_count,", with: "token_count, mood,")
            .replacing(#/schema: "(v2:)?sha256:[0-9a-f]+"/#, with: "schema: \"\(fingerprint)\"")
        try Data(plan.utf8).write(to: file, options: .atomic)
    }

    private func started(_ place: ServerPlace, _ settings: String, _ arguments: [String]) async throws -> CommandEnd {
        try Data(settings.utf8).write(to: place.folder.appendingPathComponent("settings.yaml"))
        return try await place.call(["serve", "--port", "0", "--settings", "settings.yaml"] + arguments)
    }
}
