// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import InteropProgram
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing

/// Fakes of third-party systems, with users in them, beside a server that erases there.
struct SystemsOutside: Sendable {
    static let firebase = ["firebase-auth", "firestore", "firebase-storage", "realtime-database"]
    /// The service of `Examples/webhook`, in its three ways of answering.
    static let services = ["once", "asked", "told"]
    private let facts: Data
    private let webhookFacts: Data
    private let folder: URL
    /// Held, so that they go on.
    private let programs: [InteropProgram]

    init(_ folder: URL) throws {
        let vendors = try InteropProgram("Interop/fakes/vendors.py")
        let webhooks = try InteropProgram("Interop/webhook_services.py")
        programs = [vendors, webhooks]
        facts = Data(vendors.word.utf8)
        webhookFacts = Data(webhooks.word.utf8)
        self.folder = folder
    }

    private static func text(_ name: String, of facts: Data) throws -> String {
        let members = try JSONSerialization.jsonObject(with: facts) as? [String: Any]
        return try #require(members?[name] as? String)
    }

    // MARK: Their control

    func vendors(_ method: String, _ path: String, _ body: String = "") async throws -> Any {
        try await ask(method, Self.text("control", of: facts) + path, body)
    }

    func webhooks(_ method: String, _ path: String, _ body: String = "") async throws -> Any {
        try await ask(method, Self.text("control", of: webhookFacts) + path, body)
    }

    /// Asks the program in which a system is played.
    private func control(_ kind: String, _ method: String, _ path: String, _ body: String = "") async throws -> Any {
        try await Self.services.contains(kind) ? webhooks(method, path, body) : vendors(method, path, body)
    }

    private func ask(_ method: String, _ url: String, _ body: String) async throws -> Any {
        var request = HTTPClientRequest(url: url)
        request.method = .RAW(value: method)
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        let data = Data(try await response.body.collect(upTo: 1 << 24).readableBytesView)
        return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    func settle(_ kind: String, _ person: String) async throws {
        let isService = Self.services.contains(kind)
        _ = try await control(kind, "POST", "/settle/\(kind)" + (isService ? "/\(person)" : "?person=\(person)"))
    }

    func censuses(_ kinds: [String]) async throws -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        for kind in kinds { found[kind] = try await control(kind, "GET", "/census/\(kind)") as? [String: String] }
        return found
    }

    /// Holds the next erasure there, `before` it happens or `after`, until `release`.
    func stall(_ kinds: [String], _ moment: String) async throws {
        for kind in kinds { _ = try await control(kind, "POST", "/stall/\(kind)", moment) }
    }

    /// Comes when all of them are being asked: those that are not after a minute.
    func unasked(_ kinds: [String]) async throws -> [String] {
        var missing: [String] = []
        for kind in kinds where try await control(kind, "GET", "/stalled/\(kind)") as? Bool != true { missing.append(kind) }
        return missing
    }

    /// Releases the held calls; the process that made them is gone.
    func release() async throws {
        _ = try await vendors("POST", "/release")
        _ = try await webhooks("POST", "/release")
    }

    /// Whether an entry lies where the plan of `join` lets the person be erased.
    static func isOf(_ person: String, _ entry: String) -> Bool {
        entry == person || entry.hasPrefix("\(person)/") || entry == "users/\(person)" || entry.hasPrefix("users/\(person)/")
    }

    // MARK: Receivers of events

    /// Something that was posted, with its header fields by their names in small letters.
    struct Posted: Sendable {
        let headers: [String: String]
        let body: String
    }

    /// Where a receiver of events takes what is posted; the program of the services keeps it.
    func receiver(_ name: String) throws -> String { try Self.text("control", of: webhookFacts) + "/receivers/\(name)" }

    /// The messages to a receiver so far, once at least one was posted.
    func posted(to name: String) async throws -> [Posted] {
        let all = try await webhooks("GET", "/told?") as? [[String: Any]] ?? []
        return try all.filter { $0["path"] as? String == "/receivers/\(name)" }.map { each in
            Posted(
                headers: try #require(each["headers"] as? [String: String]), body: try #require(each["body"] as? String))
        }
    }

    // MARK: Sign in with Apple

    /// A server's settings under which Apple signs people in and gives tokens for codes.
    func appleSettings() throws -> String {
        let apple = try Self.text("endpoint", of: facts) + "/apple/auth"
        return "apple: {client-ids: [app], keys: '\(apple)/keys', tokens: '\(apple)/token', "
            + "team-id: TEAM, key-id: KEY, key-file: '\(try appleKey())'}\n"
    }

    private func appleKey() throws -> String {
        let file = folder.appendingPathComponent("apple.p8")
        try Data(Self.text("apple", of: facts).utf8).writeSecret(to: file)
        return file.path
    }

    /// Signs a user in with an identity of Apple, with a code to be exchanged. Apple's token for them is called `r.` and their name.
    func signIn(_ name: String, _ server: RunningServer) async throws -> SignedIn {
        let given = try #require(try await vendors("POST", "/identify/apple", name) as? [String: String])
        let body = ["provider": "apple", "id_token": given["id_token"], "authorization_code": given["code"]]
        let json = String(decoding: try JSONSerialization.data(withJSONObject: body.compactMapValues(\.self)), as: UTF8.self)
        let answer = try await server.ask(.POST, "/auth/v1/token?grant_type=id_token", json: json)
        return try #require(SignedIn(answer, email: "\(name)@privaterelay.appleid.com"), "\(answer)")
    }

    // MARK: In a plan

    /// Adds systems to a plan.
    ///
    /// - Parameter callback: Where the service that calls back reaches the server.
    func join(_ plan: URL, kinds: [String], callback: String = "") throws {
        var text = try String(contentsOf: plan, encoding: .utf8) + "\nsystems:\n"
        for kind in kinds { text += try system(kind, callback: callback) }
        try Data(text.utf8).write(to: plan)
    }

    /// Adds Apple, for which the sign-in keeps tokens in this table.
    func joinApple(_ plan: URL, table: String) throws {
        let endpoint = try Self.text("endpoint", of: facts)
        let text = """

            systems:
              apple:
                kind: apple
                person: \(table).sealed_refresh_token
                settings: {endpoint: '\(endpoint)/apple', client: app, team: TEAM, key_id: KEY}
                secrets: {private_key: {file: '\(try appleKey())'}}

            """
        try Data((String(contentsOf: plan, encoding: .utf8) + text).utf8).write(to: plan)
    }

    private func system(_ kind: String, callback: String) throws -> String {
        let isService = Self.services.contains(kind)
        let secret = folder.appendingPathComponent(isService ? "webhook-secret" : "service-account")
        try Data(Self.text(isService ? "secret" : "service_account", of: isService ? webhookFacts : facts).utf8).write(to: secret)
        let endpoint =
            try isService ? Self.text(kind, of: webhookFacts) : Self.text("endpoint", of: facts) + "/\(kind)"
        let settings = [
            "firebase-auth": "project: farewell-test", "firestore": "project: farewell-test, path: 'users/{person}'",
            "firebase-storage": "bucket: farewell-test.appspot.com, prefix: 'users/{person}/'",
            "realtime-database": "path: 'users/{person}'", "told": "allow: 127.0.0.1, callback: '\(callback)'",
        ]
        return """
              \(kind):
                kind: \(isService ? "webhook" : kind)
                settings: {endpoint: '\(endpoint)', \(settings[kind] ?? "allow: 127.0.0.1")}
                secrets: {\(isService ? "secret" : "service_account"): {file: '\(secret.path)'}}

            """
    }
}
