// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Calls a service of Google: with a token of a service account, and its errors understood.
struct GoogleCaller: Sendable {
    let system: String
    private let address: SystemAddress
    private let caller: SystemCaller
    private let tokens: GoogleTokenSource

    static let secrets: Set<String> = ["service_account"]

    init(
        _ settings: SystemSettings, at address: SystemAddress, scope: String, budget: RateBudget, world: ConnectorWorld
    ) {
        system = settings.system.name
        self.address = address
        caller = SystemCaller(system, budget: budget, world: world)
        tokens = GoogleTokenSource(settings.system, scope: scope, world: world)
    }

    func pause(_ seconds: Double) async throws { try await caller.world.sleep(.seconds(seconds)) }

    /// What is called: parts between slashes, each encoded whole, and what is done with it.
    struct Path: Sendable {
        var parts: [String]
        /// Goes after a colon, e.g. `runQuery`.
        var verb: String?
        /// Goes at the end as it is, e.g. `.json`.
        var ending = ""

        init(_ parts: [String], _ verb: String? = nil, ending: String = "") {
            self.parts = parts
            self.verb = verb
            self.ending = ending
        }

        /// As Google wants it: everything but unreserved characters encoded in each part, and the colon not.
        var written: String {
            parts.map { "/" + PercentEncoding.text($0) }.joined() + (verb.map { ":\($0)" } ?? "") + ending
        }
    }

    /// - Parameters:
    ///   - answers: Statuses that are answers beside those of success.
    ///   - limit: Bytes of an answer that are read at most.
    /// - Throws: `ConnectorFault`.
    func ask(
        _ method: String, _ path: Path, query: [(name: String, value: String)] = [], _ body: JSONValue? = nil,
        answers: Set<Int> = [], permission: String, limit: Int = 4 << 20
    ) async throws -> SystemReply {
        var call = SystemCall(
            method, address, "/", query: query, answers: answers.union([400, 404, 409]), permission: permission)
        call.writtenPath = PercentEncoding.path(address.base) + path.written
        call.limit = limit
        if let body {
            call.headers.append(("content-type", "application/json"))
            call.body = Array(try JSONEncoder().encode(body))
        }
        let reply = try await send(call)
        guard reply.status >= 300, !answers.contains(reply.status) else { return reply }
        throw fault(of: reply, permission: permission)
    }

    /// The same, where the answer is JSON.
    func value(
        _ method: String, _ path: Path, query: [(name: String, value: String)] = [], _ body: JSONValue? = nil,
        permission: String
    ) async throws -> JSONValue {
        try await ask(method, path, query: query, body, permission: permission).json(from: system)
    }

    /// With the token at hand; where that is refused, with a new one, once.
    private func send(_ call: SystemCall) async throws -> SystemReply {
        var call = call
        let token = try await tokens.token()
        call.answers.insert(401)
        let reply = try await caller.send(call) { $0.headers.append(("Authorization", "Bearer \(token.text)")) }
        guard reply.status == 401 else { return reply }
        let renewed = try await tokens.token(insteadOf: token)
        call.answers.remove(401)
        return try await caller.send(call) { $0.headers.append(("Authorization", "Bearer \(renewed.text)")) }
    }

    private func fault(of reply: SystemReply, permission: String) -> ConnectorFault {
        guard let error = try? reply.json(from: system)["error"] else {
            return .garbled(system, "status \(reply.status) of something else")
        }
        let word = Self.word(error["status"]?.string ?? error["message"]?.string ?? error.string ?? "")
        switch (reply.status, word) {
        case (409, _), (_, "ABORTED"), (_, "UNAVAILABLE"), (_, "INTERNAL"): return .passing(system, "it was busy")
        case (_, "RESOURCE_EXHAUSTED"): return .throttled(system)
        case (_, "PERMISSION_DENIED"), (_, "UNAUTHENTICATED"): return .credentials(system, needs: permission)
        case (404, _): return .misconfigured(system, "there is no such project, database or bucket")
        case (_, "FAILED_PRECONDITION"):
            return .misconfigured(system, "what it is asked for needs an index that it does not have")
        default: return .refused(system, word.isEmpty ? "status \(reply.status)" : word)
        }
    }

    /// The name of an error, `USER_NOT_FOUND`, without the sentence that may come after it.
    static func word(_ text: String) -> String {
        let word = text.prefix { $0 != " " && $0 != ":" }
        return word.utf8.count <= 60 && word.utf8.allSatisfy { (65...90).contains($0) || $0 == UInt8(ascii: "_") }
            ? String(word) : ""
    }
}
