// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

@Suite("Programs of others against a running server", .serialized)
struct ServerContractTests {
    @Test("SO-5 the published client supabase-auth works unchanged, and every error code reaches it", arguments: SQLDialect.allCases)
    func supabaseClient(_ dialect: SQLDialect) async throws {
        let brief = ServerPlace.generous + "tokens: {life: 1}\nsessions: {inactivity: 2}\n"
        let closed = "limits: {request-timeout: 120}\npeople: {sign-up: closed, password-cost: 10}\n"
        let careful = """
            people: {email-confirmation: required, anonymous: allowed, password-cost: 10}
            limits: {request-timeout: 120, calls-per-address: 60, burst-per-address: 20, window: 3600}
            """
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                try await place.serving(brief, arguments: beside("brief", dialect)) { brief in
                    try await place.serving(closed, arguments: beside("closed", dialect)) { closed in
                        try await place.serving(careful, arguments: beside("careful", dialect)) { careful in
                            let key = place.state.appendingPathComponent("service.key").path
                            try await drive(
                                [
                                    server.auth, "--key", key, "--brief", brief.auth, "--closed", closed.auth,
                                    "--careful", careful.auth,
                                ], seeing: Self.codes)
                        }
                    }
                }
            }
        }
    }

    @Test(
        "Items 34, 35: mails of codes reach the operator's hook, signed, and the published client shows them",
        arguments: SQLDialect.allCases)
    func mails(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let found = try await Python.run("Interop/sign_in_with_apple.py", ["free-port"])
            let port = found.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let secret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            let settings =
                ServerPlace.generous.replacing("tries:", with: "email-confirmation: required, password-change: with-code, tries:")
                + "mail: {hook: 'http://127.0.0.1:\(port)/mail', hook-secret: '\(secret)', site: 'https://app.example.org'}\n"
            try await place.serving(settings) { server in
                try await drive(
                    [server.auth, "--hook-port", port, "--hook-secret", secret],
                    seeing: [
                        "email_address_invalid", "email_not_confirmed", "otp_disabled", "otp_expired", "over_email_send_rate_limit",
                        "reauthentication_not_valid",
                    ])
            }
        }
    }

    private func drive(_ arguments: [String], seeing codes: [String]) async throws {
        let end = try await Python.run("Interop/supabase_auth_contract.py", arguments)
        #expect(end.status == 0, "\(end.output.split(separator: "\n").suffix(6).joined(separator: "\n"))\(end.errors)")
        guard end.status == 0 else { return }
        for code in codes { #expect(end.output.contains(" \(code)"), "\(code) was not seen") }
    }

    /// The servers beside the first share its PostgreSQL and its keys; SQLite's have files and keys of their own.
    private func beside(_ name: String, _ dialect: SQLDialect) -> [String] {
        ["--port", "0"] + (dialect == .sqlite ? ["--state", name] : [])
    }

    /// What the client must have read as codes.
    static let codes = [
        "anonymous_provider_disabled", "bad_jwt", "email_exists", "email_not_confirmed", "invalid_credentials",
        "no_authorization", "otp_disabled", "not_admin", "over_request_rate_limit", "phone_provider_disabled", "provider_disabled",
        "refresh_token_already_used", "refresh_token_not_found", "same_password", "session_expired",
        "session_not_found", "signup_disabled", "user_already_exists", "user_banned", "user_not_found",
        "weak_password",
    ]

    @Test("Item 8: Sign in with Apple by tokens of another library: issuer, audience, nonce, keys, codes", arguments: SQLDialect.allCases)
    func signInWithApple(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let script = "Interop/sign_in_with_apple.py"
            let key = place.folder.appendingPathComponent("apple.p8").path
            let made = try await Python.run(script, ["make-key", key])
            try #require(made.status == 0, "\(made)")
            let port = try await Python.run(script, ["free-port"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
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

    @Test("schemathesis finds no 5xx and no answer that the description does not know", arguments: SQLDialect.allCases)
    func schemathesis(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let settings = ServerPlace.generous.replacing("tries:", with: "anonymous: allowed, tries:") + "feed: {heartbeat: 1}\n"
            try await place.serving(settings) { server in
                let end = try await Python.run(
                    "Interop/run_schemathesis.py",
                    [server.url, "--key", place.state.appendingPathComponent("service.key").path])
                #expect(end.status == 0, "\(end.output.suffix(6_000))\(end.errors.suffix(2_000))")
            }
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
