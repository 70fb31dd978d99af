// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite("An app whose rows are in another database than the accounts")
struct ServerOwnDatabaseTests {
    /// Serves accounts from one database, and erases by a plan in the PostgreSQL of another place.
    private static func with(
        _ dialect: SQLDialect, _ use: @escaping @Sendable (ServerPlace, RunningServer) async throws -> Void
    ) async throws {
        try await withBoth(dialect) { app, _, server in try await use(app, server) }
    }

    /// The same, with the place of the accounts' database as well.
    ///
    /// - Parameter receivers: The contents of the file of receivers; none without it.
    private static func withBoth(
        _ dialect: SQLDialect, receivers: String? = nil,
        _ use: @escaping @Sendable (_ app: ServerPlace, _ accounts: ServerPlace, RunningServer) async throws -> Void
    ) async throws {
        try await ServerPlace.with(.postgresql) { app in
            try await run(app, "CREATE TABLE members (id uuid PRIMARY KEY, name text)")
            try await run(app, "CREATE TABLE notes (id bigint PRIMARY KEY, member uuid NOT NULL REFERENCES members (id), text text)")
            try await run(app, "CREATE INDEX ON notes (member)")
            try await ServerPlace.with(dialect) { place in
                let path = place.folder.appendingPathComponent("farewell.yaml").path
                let made = try await app.call(["init", "--database", app.address, "--subject", "public.members.id", "--plan", path])
                try #require(made.status == 0, "\(made)")
                try receivers.map {
                    try Data($0.utf8).write(to: place.folder.appendingPathComponent("hooks.yaml"))
                }
                let settings =
                    try await place.offeringMetrics() + ServerPlace.generous + """
                        erasures:
                          plan: farewell.yaml
                          database-url: "\(app.address)"
                          second-look: 0
                          wait: 60

                        """ + (receivers == nil ? "" : "  webhooks-file: hooks.yaml\n")
                try await place.serving(settings) { server in try await use(app, place, server) }
            }
        }
    }

    private static func run(_ app: ServerPlace, _ statement: String) async throws {
        _ = try await rows(app, statement)
    }

    private static func rows(_ app: ServerPlace, _ statement: String) async throws -> [String] {
        let database = try openDatabase(app.address)
        let result = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
        await database.close()
        return result.rows.map { row in row.map { $0.text ?? "\($0)" }.joined(separator: " ") }
    }

    /// A user with an account, and rows of theirs.
    private static func person(_ app: ServerPlace, _ server: RunningServer, _ number: Int) async throws -> SignedIn {
        let person = try await server.person()
        let me = try await server.ask(.GET, "/auth/v1/user", token: person.access)
        let id = try #require(me.json["id"] as? String)
        try await run(app, "INSERT INTO members VALUES ('\(id)', 'member \(number)')")
        try await run(app, "INSERT INTO notes VALUES (\(number), '\(id)', 'a note')")
        return person
    }

    private static func accounts(_ server: RunningServer) async throws -> Int {
        let list = try await server.ask(.GET, "/auth/v1/admin/users", token: server.serviceKey())
        return try #require(list.json["users"] as? [Any], "\(list)").count
    }

    @Test(
        "SV-8 a user who got the answer deleted has neither rows nor an account in either database",
        arguments: SQLDialect.allCases)
    func leaves(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { app, server in
            let (leaving, staying) = (try await Self.person(app, server, 1), try await Self.person(app, server, 2))
            let done = try await server.ask(.POST, "/functions/v1/delete-account", token: leaving.access)
            #expect(done.status == 200 && done.text == #"{"data":{"success":true}}"#, "\(done)")
            #expect(try await Self.accounts(server) == 1, "not a moment later")
            #expect(try await Self.rows(app, "SELECT name FROM members") == ["member 2"])
            #expect(try await Self.rows(app, "SELECT id FROM notes") == ["2"])
            #expect(try await !server.isAccepted(leaving.access))
            #expect(try await server.metrics().text.contains("\nfarewell_fenced_writes_total 0\n"))
            #expect(try await server.isAccepted(staying.access))
            #expect(try await server.refresh(staying.refresh).status == 200)
        }
    }

    @Test(
        "no answer says deleted while the account is kept; a repeated request removes it",
        arguments: SQLDialect.allCases)
    func kept(_ dialect: SQLDialect) async throws {
        try await Self.withBoth(dialect) { app, accounts, server in
            let mine = try await Self.person(app, server, 1)
            let (users, key) = dialect == .postgresql ? ("auth.users", "uuid") : ("auth_users", "text")
            try await Self.run(accounts, "CREATE TABLE keepers (person \(key) REFERENCES \(users) (id))")
            try await Self.run(accounts, "INSERT INTO keepers SELECT id FROM \(users)")
            let function = try await server.ask(.POST, "/functions/v1/delete-account", token: mine.access)
            let told = function.json["data"] as? [String: Any]
            #expect(function.status == 202 && told?["state"] as? String == "verifying", "\(function)")
            #expect(try await Self.rows(app, "SELECT id FROM notes").isEmpty)
            #expect(try await Self.accounts(server) == 1)
            let account = try await server.ask(.DELETE, "/me/account", token: mine.access)
            let details = account.json["details"] as? [String: Bool]
            #expect(account.status == 500 && details?["identity"] == false && details?["rows"] == true, "\(account)")
            let again = try await server.signIn(mine.email)
            let procedure = try await server.ask(.POST, "/rest/v1/rpc/delete_auth_user", token: again.access)
            #expect(procedure.status == 202 && procedure.json["state"] as? String == "verifying", "\(procedure)")
            let headers = ["Idempotency-Key": "one"]
            let asked = try await server.ask(.POST, "/v1/erasures", token: again.access, headers: headers)
            #expect(asked.status == 202 && asked.json["state"] as? String == "verifying", "\(asked)")
            #expect(asked.json["finished_at"] == nil && asked.json["receipt"] == nil, "\(asked)")
            try await Self.run(accounts, "DROP TABLE keepers")
            let done = try await server.ask(.POST, "/v1/erasures", token: again.access, headers: headers)
            #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
            #expect(try await Self.accounts(server) == 0)
            let last = try await server.ask(.POST, "/functions/v1/delete-account", token: mine.access)
            #expect(last.status == 200 && last.text == #"{"data":{"success":true}}"#, "\(last)")
        }
    }

    @Test(
        "status, progress, receipt and event report a user as gone only once the account is gone",
        arguments: SQLDialect.allCases)
    func toldOnceGone(_ dialect: SQLDialect) async throws {
        let outside = try SystemsOutside(FileManager.default.temporaryDirectory)
        let receiver = "endpoints:\n  - {name: archive, kind: risc, url: '\(try outside.receiver("archive"))', audience: archive}\n"
        try await Self.withBoth(dialect, receivers: receiver) { app, accounts, server in
            let mine = try await Self.person(app, server, 1)
            let (users, key) = dialect == .postgresql ? ("auth.users", "uuid") : ("auth_users", "text")
            try await Self.run(accounts, "CREATE TABLE keepers (person \(key) REFERENCES \(users) (id))")
            try await Self.run(accounts, "INSERT INTO keepers SELECT id FROM \(users)")
            let asked = try await server.ask(
                .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "one", "Prefer": "wait=60"])
            #expect(asked.status == 202 && asked.json["state"] as? String == "verifying", "\(asked)")
            let place = "/v1/erasures/\(try #require(asked.json["id"] as? String))"
            let ticket = ["X-Farewell-Ticket": try #require(asked.json["ticket"] as? String)]
            for path in ["/v1/erasures", place] {
                let seen = try await server.ask(.GET, path, headers: ticket)
                #expect(seen.status == 200 && seen.json["state"] as? String == "verifying", "\(seen)")
                #expect(seen.json["finished_at"] == nil && seen.json["receipt"] == nil, "\(seen)")
            }
            for path in ["/receipt", "/receipt/page"] {
                #expect(try await server.ask(.GET, place + path, headers: ticket).status == 404)
            }
            let console = try await Self.console(server)
            let run = place.replacing("/v1/erasures/", with: "/console/runs/")
            for path in ["/console", run] {
                let page = try await console.page(server, path)
                #expect(page.status == 200 && page.text.contains("the account is still there"), "\(page)")
            }
            #expect(try await console.page(server, run).text.contains(#"id="runState">verifying"#))
            let deliveries = "farewell.deliveries"
            try await eventually {
                try await Self.rows(app, "SELECT endpoint FROM \(deliveries) WHERE error IS NOT NULL") == ["accounts"]
            }
            let tries = "SELECT CAST(attempts AS text) FROM \(deliveries) WHERE endpoint = 'archive'"
            #expect(try await Self.rows(app, tries) == ["0"], "it is not told before")

            let events = try await Self.events(of: place, ticket, server) {
                try await Self.run(accounts, "DROP TABLE keepers")
                try await Self.run(app, "UPDATE \(deliveries) SET next_at = now() WHERE state = 'waiting'")
            }
            #expect(events.contains(#""state":"verifying""#) && events.contains(#""state":"done""#), "\(events)")
            #expect(try await Self.accounts(server) == 0)
            #expect(try await server.ask(.GET, place, headers: ticket).json["state"] as? String == "done")
            for path in ["/console", run] {
                #expect(try await !console.page(server, path).text.contains("the account is still there"), "\(path)")
            }
            #expect(try await console.page(server, run).text.contains(#"id="runState">done"#))
            for path in ["/receipt", "/receipt/page"] {
                #expect(try await server.ask(.GET, place + path, headers: ticket).status == 200)
            }
            try await eventually { try await outside.posted(to: "archive").count == 1 }
        }
    }

    /// An operator's browser, signed in at the console.
    private static func console(_ server: RunningServer) async throws -> Guarded<CookieJar> {
        let browser = Guarded(CookieJar())
        _ = try await browser.page(server, "/console")
        let entered = try await browser.send(server, "/console/sign-in", ["token": server.serviceKey()])
        try #require(entered.status == 303, "\(entered)")
        _ = try await browser.page(server, "/console")
        return browser
    }

    /// All events of an erasure for a follower.
    ///
    /// - Parameter following: Done once the first of it was heard.
    private static func events(
        of place: String, _ ticket: [String: String], _ server: RunningServer, once following: () async throws -> Void
    ) async throws -> String {
        var request = HTTPClientRequest(url: server.url + place + "/events")
        for (name, value) in ticket { request.headers.add(name: name, value: value) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        var told = ""
        for try await piece in response.body {
            if told.isEmpty { try await following() }
            told += String(buffer: piece)
        }
        return told
    }

    @Test(
        "Item 28: a signed-out token together with the ticket of another user's ended erasure removes no user",
        arguments: SQLDialect.allCases)
    func anothersTicket(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { app, server in
            let (leaving, staying) = (try await Self.person(app, server, 1), try await Self.person(app, server, 2))
            let done = try await server.ask(
                .POST, "/v1/erasures", token: leaving.access, headers: ["Idempotency-Key": "one", "Prefer": "wait=30"])
            let ticket = try #require(done.json["ticket"] as? String, "\(done)")
            #expect(done.status == 200)
            #expect(try await server.ask(.POST, "/auth/v1/logout?scope=local", token: staying.access).status == 204)
            let asked = try await server.ask(
                .POST, "/v1/erasures", token: staying.access, json: #"{"ticket":"\#(ticket)"}"#,
                headers: ["Idempotency-Key": "two"])
            #expect(asked.status == 200, "it is told how that erasure stands: \(asked)")
            #expect(try await Self.accounts(server) == 1)
            #expect(try await Self.rows(app, "SELECT name FROM members") == ["member 2"])
        }
    }

    @Test(
        "F3 while the app's database is unreachable no user is half deleted, and the server reports that it is not ready",
        arguments: SQLDialect.allCases)
    func away(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { app, server in
            let mine = try await Self.person(app, server, 1)
            #expect(try await server.ask(.GET, "/readyz").status == 200)
            try await app.allowsConnections(false)
            try await eventually { try await server.ask(.GET, "/readyz").status == 503 }
            for path in ["/functions/v1/delete-account", "/rest/v1/rpc/delete_auth_user"] {
                let refused = try await server.ask(.POST, path, token: mine.access)
                #expect(refused.status == 503 && refused.headers["Retry-After"].first != nil, "\(path): \(refused)")
            }
            let account = try await server.ask(.DELETE, "/me/account", token: mine.access)
            #expect(account.status == 503, "\(account)")
            let asked = try await server.ask(.POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "one"])
            #expect(asked.status == 503 && asked.headers["Retry-After"].first != nil, "\(asked)")
            #expect(try await server.isAccepted(mine.access), "nothing was begun")
            try await app.allowsConnections(true)
            try await eventually { try await server.ask(.GET, "/readyz").status == 200 }
            #expect(try await Self.rows(app, "SELECT id FROM notes") == ["1"])
            let done = try await server.ask(.DELETE, "/me/account", token: mine.access)
            #expect(done.status == 200, "\(done)")
            #expect(try await Self.accounts(server) == 0)
            #expect(try await Self.rows(app, "SELECT id FROM notes").isEmpty)
        }
    }

    /// Lets another server start beside one that runs under the same settings.
    private static func besides() async throws -> [String: String] {
        ["FAREWELL_OPERATIONS_PORT": try await Python.freePort()]
    }

    @Test("OP-2 a server starts with a plan that does not fit the app's database; other keys stop it, and it creates no new ones")
    func unfit() async throws {
        try await Self.withBoth(.sqlite) { app, accounts, _ in
            try await Self.run(app, "CREATE TABLE public.strangers (id bigint PRIMARY KEY, name text)")
            let files = try FileManager.default.contentsOfDirectory(atPath: accounts.folder.path)
            let settings = try #require(files.first { $0.hasPrefix("settings-") })
            let serve = ["serve", "--port", "0", "--settings", settings]
            let words = "Listening on "
            let besides = try await Self.besides()
            let status = try await accounts.running(serve, environment: besides, until: words) { server in
                let ready = try await server.ask(.GET, "/readyz")
                #expect(ready.json["erasures"] as? String == "waiting", "\(ready)")
            }
            #expect(status == 0)
            let other = try await accounts.call(serve + ["--state", "fresh"], environment: try await Self.besides())
            #expect(other.status == 2, "\(other)")
            let state = accounts.folder.appendingPathComponent("fresh").path
            #expect(!FileManager.default.fileExists(atPath: state))
        }
    }

    @Test("no key is created where a newer Farewell has migrated the app's database", arguments: SQLDialect.allCases)
    func newer(_ dialect: SQLDialect) async throws {
        try await Self.withBoth(dialect) { app, accounts, _ in
            let newest = "(SELECT max(version) FROM farewell.migrations)"
            try await Self.run(app, "UPDATE farewell.migrations SET version = 1000 + version WHERE version = \(newest)")
            let files = try FileManager.default.contentsOfDirectory(atPath: accounts.folder.path)
            let settings = try #require(files.first { $0.hasPrefix("settings-") })
            let serve = ["serve", "--port", "0", "--settings", settings]
            let end = try await accounts.call(serve, environment: try await Self.besides())
            #expect(end.status == 2 && end.errors.contains("The control store has version 10"), "\(end)")
            let other = try await accounts.call(serve + ["--state", "fresh"], environment: try await Self.besides())
            #expect(other.status == 2, "\(other)")
            let state = accounts.folder.appendingPathComponent("fresh").path
            #expect(!FileManager.default.fileExists(atPath: state))
            try await Self.run(app, "UPDATE farewell.migrations SET version = version - 1000 WHERE version = \(newest)")
        }
    }
}
