// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import InteropProgram
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing

/// Likenesses of others' systems, with people in them, beside a server that erases there.
struct SystemsOutside: Sendable {
    static let firebase = ["firebase-auth", "firestore", "firebase-storage", "realtime-database"]
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

    func webhooks(_ method: String, _ path: String) async throws -> Any {
        try await ask(method, Self.text("control", of: webhookFacts) + path, "")
    }

    private func ask(_ method: String, _ url: String, _ body: String) async throws -> Any {
        var request = HTTPClientRequest(url: url)
        request.method = .RAW(value: method)
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        let data = Data(try await response.body.collect(upTo: 1 << 24).readableBytesView)
        return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    func settle(_ kind: String, _ person: String) async throws {
        _ = try await vendors("POST", "/settle/\(kind)?person=\(person)")
    }

    func censuses(_ kinds: [String]) async throws -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        for kind in kinds { found[kind] = try await vendors("GET", "/census/\(kind)") as? [String: String] }
        return found
    }

    /// Whether an entry lies where the plan of `join` lets the person be erased.
    static func isOf(_ person: String, _ entry: String) -> Bool {
        entry == person || entry == "users/\(person)" || entry.hasPrefix("users/\(person)/")
    }

    // MARK: In a plan

    /// Adds systems to a plan.
    func join(_ plan: URL, kinds: [String], callback: String = "") throws {
        let file = folder.appendingPathComponent("secret")
        let isFirebase = kinds != ["told"]
        let secret = try isFirebase ? Self.text("service_account", of: facts) : Self.text("secret", of: webhookFacts)
        try Data(secret.utf8).write(to: file)
        let endpoint = try Self.text("endpoint", of: facts)
        let told = try Self.text("told", of: webhookFacts)
        let settings = [
            "firebase-auth": "project: farewell-test", "firestore": "project: farewell-test, path: 'users/{person}'",
            "firebase-storage": "bucket: farewell-test.appspot.com, prefix: 'users/{person}/'",
            "realtime-database": "path: 'users/{person}'", "told": "allow: 127.0.0.1, callback: '\(callback)'",
        ]
        var text = try String(contentsOf: plan, encoding: .utf8) + "\nsystems:\n"
        for kind in kinds {
            text += """
                  \(kind):
                    kind: \(isFirebase ? kind : "webhook")
                    settings: {endpoint: '\(isFirebase ? "\(endpoint)/\(kind)" : told)', \(settings[kind] ?? "")}
                    secrets: {\(isFirebase ? "service_account" : "secret"): {file: '\(file.path)'}}

                """
        }
        try Data(text.utf8).write(to: plan)
    }
}
