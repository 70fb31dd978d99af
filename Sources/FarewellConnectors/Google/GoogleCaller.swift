// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Calls a service of Google: with a token of a service account, and its errors understood.
struct GoogleCaller: Sendable {
    let system: String
    private let address: SystemAddress
    private let caller: SystemCaller
    private let tokens: GoogleTokenSource
    /// The meaning of the service's errors.
    let responses: ResponseTable
    /// Lets Google answer without spaces at the beginnings of lines; not sent to an emulator, which may not know it.
    let compact: [(name: String, value: String)]
    /// Goes with every call.
    private let query: [(name: String, value: String)]

    /// - Parameters:
    ///   - usual: The address of the service, unless the plan or an emulator's variable names another.
    ///   - emulator: How the service's emulator is found, as Google's own clients find it.
    init(
        _ settings: SystemSettings, at usual: String?, emulator: GoogleEmulator, scope: String,
        responses: ResponseTable, budget: RateBudget, world: ConnectorWorld
    ) throws {
        system = settings.system.name
        self.responses = responses
        let place = try emulator.place(settings, world)
        address =
            try place?.address
            ?? SystemAddress(try settings["endpoint"] ?? usual ?? settings.required("endpoint"), system: system)
        query = place?.query ?? []
        compact = address.scheme == "https" ? [("prettyPrint", "false")] : []
        caller = SystemCaller(system, budget: budget, world: world)
        tokens = GoogleTokenSource(settings.system, scope: scope, isEmulator: place != nil, world: world)
    }

    var unusedName: String { caller.world.unusedName }

    func pause(_ length: Duration) async throws { try await caller.world.sleep(length) }

    /// The path of a call: parts between slashes, each encoded whole, and the custom verb.
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

        /// As Google requires it: each part is percent-encoded, and the colon before the verb is not.
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
        headers: [(name: String, value: String)] = [], answers: Set<Int> = [], permission: String, limit: Int = 8 << 20
    ) async throws -> SystemReply {
        var call = SystemCall(
            method, address, "/", query: query + self.query, headers: headers, answers: answers,
            permission: permission)
        call.responses = responses
        call.reading = { [responses] in responses.googleWords($0) }
        call.writtenPath = PercentEncoding.path(address.base) + path.written
        call.limit = limit
        if let body {
            call.headers.append(("content-type", "application/json"))
            call.body = Array(try JSONEncoder().encode(body))
        }
        call.answers.formUnion([400, 404, 409])
        let reply = try await send(call)
        guard reply.status >= 300, !answers.contains(reply.status) else { return reply }
        guard let value = try? reply.json(from: system), let told = responses.googleWords(value) else {
            throw ConnectorFault.garbled(system, "status \(reply.status) from another service")
        }
        throw fault(reply.status, told, needs: permission)
    }

    /// The same, where the answer is JSON.
    func value(
        _ method: String, _ path: Path, query: [(name: String, value: String)] = [], _ body: JSONValue? = nil,
        permission: String, limit: Int = 8 << 20
    ) async throws -> RawJSON {
        try await ask(method, path, query: query, body, permission: permission, limit: limit).json(from: system)
    }

    /// With the present token; if that is refused, with a new one, once.
    private func send(_ call: SystemCall) async throws -> SystemReply {
        var call = call
        let token = try await tokens.token()
        call.answers.insert(401)
        let reply = try await caller.send(call) { $0.headers += token.headers }
        guard reply.status == 401 else { return reply }
        let renewed = try await tokens.token(insteadOf: token)
        call.answers.remove(401)
        return try await caller.send(call) { $0.headers += renewed.headers }
    }

    /// The meaning of an error within an answer: a stream that has begun with 200 may end with one.
    func fault(in value: RawJSON, needs permission: String) -> ConnectorFault? {
        guard let told = responses.googleWords(value) else { return nil }
        return fault(200, told, needs: permission)
    }

    /// The meaning of a reply that was accepted as an answer.
    func outcome(of reply: SystemReply) -> ResponseOutcome {
        let told = responses.googleWords(reply)
        return responses.line(reply.status, code: told.code, message: told.message).outcome
    }

    /// The fault of such a reply.
    func fault(of reply: SystemReply, needs permission: String) -> ConnectorFault {
        fault(reply.status, responses.googleWords(reply), needs: permission)
    }

    private func fault(_ status: Int, _ told: ErrorWords, needs permission: String) -> ConnectorFault {
        var fault = responses.fault(
            status, code: told.code, message: told.message, of: system, needs: permission, detail: told.detail,
            retryAfter: told.pause)
        if responses.line(status, code: told.code, message: told.message) == ResponseTable.missingIndex {
            // The link makes exactly the index that is missing.
            let link = told.detail.flatMap { $0.hasBytePrefix("https://") ? $0 : nil }
            let index = link.map { "the index (\($0))" } ?? "this index of the plan's field in Firestore"
            fault.error = FarewellError(
                fault.error.code, fault.error.family, fault.error.message,
                remedy: "Create \(index), wait until it is built, then release the erasure.")
        }
        return fault
    }

    /// The name of an error, `USER_NOT_FOUND`, without the sentence that may come after it.
    static func word(_ text: String) -> String {
        let word = text.prefix { $0 != " " && $0 != ":" }
        return word.utf8.count <= 60 && word.utf8.allSatisfy { $0.isASCIICapital || $0 == UInt8(ascii: "_") }
            ? String(word) : ""
    }
}
