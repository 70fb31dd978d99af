// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Calls a service by method and path that answers in JSON.
struct RESTCaller: Sendable {
    let system: String
    private let caller: SystemCaller
    private let address: SystemAddress
    private let responses: ResponseTable
    private let reading: @Sendable (SystemReply) -> ErrorWords
    private let authorise: @Sendable () throws -> [(name: String, value: String)]

    /// - Parameters:
    ///   - responses: The meaning of the system's errors.
    ///   - reading: The system's own code and sentence in a reply that is an error.
    ///   - authorise: The headers that authenticate us, newly made for each call.
    init(
        _ system: String, at address: SystemAddress, budget: RateBudget, world: ConnectorWorld,
        responses: ResponseTable = .http,
        reading: @escaping @Sendable (SystemReply) -> ErrorWords = { _ in ErrorWords() },
        authorise: @escaping @Sendable () throws -> [(name: String, value: String)] = { [] }
    ) {
        self.system = system
        self.address = address
        self.authorise = authorise
        self.responses = responses
        self.reading = reading
        caller = SystemCaller(system, budget: budget, world: world)
    }

    var unusedName: String { caller.world.unusedName }

    enum Body: Sendable {
        case none
        case json(JSONValue)
        case form([(name: String, value: String)])
    }

    /// - Parameters:
    ///   - key: The idempotency key of a repeated call.
    ///   - answers: Statuses that are answers beside those of success.
    ///   - limit: Bytes of an answer that are read at most.
    func ask(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], _ body: Body = .none,
        key: String? = nil, headers: [(name: String, value: String)] = [], answers: Set<Int> = [],
        permission: String, limit: Int = 4 << 20
    ) async throws -> SystemReply {
        var call = SystemCall(
            method, address, address.base + path, query: query, headers: headers, answers: answers,
            permission: permission)
        call.limit = limit
        call.responses = responses
        call.reading = reading
        switch body {
        case .none: break
        case .json(let value):
            call.headers.append(("content-type", "application/json"))
            call.body = Array(try JSONEncoder().encode(value))
        case .form(let fields):
            call.headers.append(("content-type", "application/x-www-form-urlencoded"))
            call.body = PercentEncoding.form(fields)
        }
        if let key { call.headers.append(("Idempotency-Key", key)) }
        call.headers += try authorise()
        return try await caller.send(call)
    }

    /// The same, where the answer is an object of JSON.
    func object(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], _ body: Body = .none,
        key: String? = nil, permission: String
    ) async throws -> RawJSON {
        let value = try await ask(method, path, query: query, body, key: key, permission: permission).json(from: system)
        guard value.isObject else { throw ConnectorFault.garbled(system, "it is not an object") }
        return value
    }

    /// The table's line for a status that was accepted as an answer.
    func line(_ reply: SystemReply) -> ResponseLine {
        let told = reading(reply)
        return responses.line(told.status ?? reply.status, code: told.code, message: told.message)
    }

    /// The fault of such a status.
    func fault(_ reply: SystemReply, needs permission: String) -> ConnectorFault {
        let told = reading(reply)
        return responses.fault(
            told.status ?? reply.status, code: told.code, message: told.message, of: system, needs: permission,
            detail: told.detail, retryAfter: told.pause)
    }

    /// A name that goes into a path as one part of it: nothing in it leads elsewhere.
    ///
    /// - Throws: `ConnectorFault.refused`.
    func part(_ name: String) throws -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.containsByte(of: "/\\"),
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { throw ConnectorFault.refused(system, "the person's name there cannot be part of an address") }
        return name
    }
}
