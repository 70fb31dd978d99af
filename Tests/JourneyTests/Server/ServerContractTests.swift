// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import SystemPackage
import Testing

@Suite("Other projects' programs against a running server")
struct ServerContractTests {
    @Test("SO-5 the published client supabase-auth works unchanged, and every error code reaches it", arguments: SQLDialect.allCases)
    func supabaseClient(_ dialect: SQLDialect) async throws {
        let brief = ServerPlace.generous + "tokens: {life: 1}\nsessions: {inactivity: 2}\n"
        let closed = "limits: {request-timeout: 6}\npeople: {sign-up: closed, password-cost: 10}\n"
        let careful = """
            people: {email-confirmation: required, anonymous: allowed, password-cost: 10}
            limits: {request-timeout: 120, calls-per-address: 60, burst-per-address: 20, window: 86400}
            """
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let held = try await held(server, place)
                try await place.serving(brief, arguments: beside("brief", dialect)) { brief in
                    try await place.serving(closed, arguments: beside("closed", dialect)) { closed in
                        try await place.serving(careful, arguments: beside("careful", dialect)) { careful in
                            let key = place.state.appendingPathComponent("service.key").path
                            try await drive(
                                [
                                    server.auth, "--key", key, "--brief", brief.auth, "--closed", closed.auth,
                                    "--careful", careful.auth, "--held", held,
                                ])
                        }
                    }
                }
            }
        }
    }

    @Test(
        "Items 34, 35: mails with codes reach the operator's hook, signed, and the published client shows them",
        arguments: SQLDialect.allCases)
    func mails(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let port = try await Python.freePort()
            let secret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            let settings =
                ServerPlace.generous.replacing("tries:", with: "email-confirmation: required, password-change: with-code, tries:")
                + "mail: {hook: 'http://127.0.0.1:\(port)/mail', hook-secret: '\(secret)', site: 'https://app.example.org'}\n"
            try await place.serving(settings) { server in
                let aged = try await aged(server, place)
                try await drive(
                    [server.auth, "--hook-port", port, "--hook-secret", secret, "--aged", "\(aged.access) \(aged.refresh)"])
            }
        }
    }

    private func drive(_ arguments: [String]) async throws {
        let end = try await Python.run("Interop/supabase_auth_contract.py", arguments)
        #expect(end.status == 0, "\(end.output.split(separator: "\n").suffix(6).joined(separator: "\n"))\(end.errors)")
    }

    /// A user to whom a row of the app refers, by a key that prevents their deletion.
    private func held(_ server: RunningServer, _ place: ServerPlace) async throws -> String {
        let user = try await server.ask(.GET, "/auth/v1/user", token: server.person().access)
        let id = try #require(user.json["id"] as? String, "\(user)")
        let (type, users) = place.dialect == .postgresql ? ("uuid", "auth.users") : ("text", "auth_users")
        try await run(SQLStatement("CREATE TABLE papers (owner \(type) NOT NULL REFERENCES \(users) (id))"), in: place)
        try await run(SQLStatement("INSERT INTO papers VALUES ('\(id)')"), in: place)
        return id
    }

    /// A user whose session began two days ago.
    private func aged(_ server: RunningServer, _ place: ServerPlace) async throws -> SignedIn {
        let email = "aged@example.org"
        let person = #"{"email":"\#(email)","password":"\#(SignedIn.password)","email_confirm":true}"#
        let made = try await server.ask(.POST, "/auth/v1/admin/users", token: server.serviceKey(), json: person)
        try #require(made.status == 200, "\(made)")
        let signedIn = try await server.signIn(email)
        let sessions = place.dialect == .postgresql ? "auth.sessions" : "auth_sessions"
        let began = Date(timeIntervalSinceNow: -2 * 86_400)
        try await run(SQLStatement("UPDATE \(sessions) SET created_at = $1", [.timestamp(began)]), in: place)
        return signedIn
    }

    private func run(_ statement: SQLStatement, in place: ServerPlace) async throws {
        let database = try openDatabase(place.address)
        _ = try await database.withConnection { try await $0.run(statement) }
        await database.close()
    }

    /// The servers beside the first share its PostgreSQL and its keys; SQLite's have files and keys of their own.
    private func beside(_ name: String, _ dialect: SQLDialect) -> [String] {
        ["--port", "0"] + (dialect == .sqlite ? ["--state", name] : [])
    }

    @Test("Item 8: Sign in with Apple by tokens of another library: issuer, audience, nonce, keys, codes", arguments: SQLDialect.allCases)
    func signInWithApple(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let script = "Interop/sign_in_with_apple.py"
            let key = place.folder.appendingPathComponent("apple.p8").path
            let made = try await Python.run(script, ["make-key", key])
            try #require(made.status == 0, "\(made)")
            let port = try await Python.freePort()
            let apple = "http://127.0.0.1:\(port)"
            let settings =
                ServerPlace.generous
                + "apple: {client-ids: [org.example.app], keys: '\(apple)/keys', tokens: '\(apple)/token', "
                + "team-id: TEAM, key-id: KEY, key-file: apple.p8}\n"
            try await place.serving(settings) { server in
                let end = try await Python.run(script, ["run", server.auth, port, key])
                #expect(end.status == 0, "\(end)")
            }
        }
    }

    @Test(
        "Item 8: Sign in with Google by tokens of another library: both its names, audience, nonce, a rotated key",
        arguments: SQLDialect.allCases)
    func signInWithGoogle(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let port = try await Python.freePort()
            let keys = "keys: 'http://127.0.0.1:\(port)/keys'"
            let settings =
                ServerPlace.generous
                + "apple: {client-ids: [org.example.app], \(keys)}\n"
                + "google: {client-ids: [1234-app.apps.googleusercontent.com], \(keys)}\n"
            try await place.serving(settings) { server in
                let end = try await Python.run("Interop/sign_in_with_google.py", [server.auth, port])
                #expect(end.status == 0, "\(end)")
            }
        }
    }

    @Test("schemathesis calls every operation of a server without a plan, and finds no 5xx and no undescribed answer")
    func schemathesis() async throws {
        try await ServerPlace.with(.sqlite) { try await describe(ServerPlace.generous, in: $0) }
    }

    @Test("schemathesis calls every operation of a server with a plan, which erases the users that it creates")
    func schemathesisWithPlan() async throws {
        try await ErasurePlace.with(.postgresql, people: 2) { erasures in
            let settings = erasures.settings().replacing("wait: 180", with: "wait: 5") + "export: {offering: on}\n"
            try await describe(settings, in: erasures.place)
        }
    }

    private func describe(_ settings: String, in place: ServerPlace) async throws {
        let open = settings.replacing("tries:", with: "anonymous: allowed, tries:") + "feed: {heartbeat: 1}\n"
        try await place.serving(open) { server in
            let end = try await Python.run(
                "Interop/run_schemathesis.py",
                [server.url, "--key", place.state.appendingPathComponent("service.key").path])
            let told = (try? String(contentsOf: place.log, encoding: .utf8)) ?? ""
            let found = "\(end.output.suffix(6_000))\(end.errors.suffix(2_000))"
            #expect(end.status == 0, "\(found); the server's log ends with:\n\(told.suffix(8_000))")
        }
    }
}

/// Python programs of this package, run with the packages of `Interop/requirements.txt`.
enum Python {
    static let root = URL(filePath: #filePath).pathComponents.dropFirst().dropLast(4).reduce("") { $0 + "/" + $1 }

    static func run(_ script: String, _ arguments: [String], input: String = "") async throws -> CommandEnd {
        let configuration = Subprocess.Configuration(
            executable: .name("python3"), arguments: .init(["\(root)/\(script)"] + arguments))
        let result = try await Subprocess.run(
            configuration, input: .string(input), output: .string(limit: 1 << 24), error: .string(limit: 1 << 24))
        return CommandEnd(
            status: CommandPlace.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
    }

    /// A port on which nothing listens and that the system gives to no other process.
    static func freePort() async throws -> String { try await freePorts(1)[0] }

    static func freePorts(_ count: Int) async throws -> [String] {
        let found = try await run("Interop/free_port.py", ["\(count)"]).output.split(separator: "\n").map(String.init)
        try #require(found.count == count)
        return found
    }

    /// Runs a program until it says `word`, and kills it.
    static func killed(_ script: String, _ arguments: [String], after word: String) async throws {
        let configuration = Subprocess.Configuration(
            executable: .name("python3"), arguments: .init(["\(root)/\(script)"] + arguments))
        let result = try await Subprocess.run(
            configuration, input: .none, output: .sequence, error: .discarded
        ) { execution in
            for try await line in execution.standardOutput.strings() where line.contains(word) {
                kill(execution.processIdentifier.value, SIGKILL)
            }
        }
        #expect(CommandPlace.status(result.terminationStatus) == 128 + SIGKILL, "\(script)")
    }
}
