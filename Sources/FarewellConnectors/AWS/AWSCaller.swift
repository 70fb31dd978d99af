// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Calls a service of AWS: signed, and its errors understood.
package struct AWSCaller: Sendable {
    let system: String
    private let caller: SystemCaller
    private let signature: SignatureV4
    private let source: AWSCredentialSource
    /// The meaning of the service's errors.
    private let responses: ResponseTable
    let address: SystemAddress

    package init(
        _ settings: SystemSettings, service: String, host: String, responses: ResponseTable, budget: RateBudget,
        world: ConnectorWorld
    ) throws {
        system = settings.system.name
        self.responses = responses
        let region = try settings.required("region")
        let suffix = AWSPartition(region: region).suffix
        let usual = host.replacing("{region}", with: region).replacing("{suffix}", with: suffix)
        address = try settings.address(else: "https://\(usual)")
        signature = SignatureV4(region: region, service: service)
        caller = SystemCaller(system, budget: budget, world: world)
        source = AWSCredentialSource(
            system, secrets: SystemSecrets(settings.system, world: world), region: region, world: world)
    }

    var unusedName: String { caller.world.unusedName }

    func pause(_ length: Duration) async throws { try await caller.world.sleep(length) }

    /// Errors of a temporary key that has ended.
    private static let ended: Set<String> = ["ExpiredToken", "ExpiredTokenException"]

    /// Sends with the present key; if that is refused, with another one, once: a temporary key may end early.
    func send(_ call: SystemCall) async throws -> SystemReply {
        let key = try await source.credentials()
        let first: Result<SystemReply, ConnectorFault>
        do {
            let reply = try await sent(call, with: key)
            guard reply.status >= 300, Self.ended.contains(call.reading(reply).code) else { return reply }
            first = .success(reply)
        } catch let fault as ConnectorFault where fault.error.code == "connector.credentials" {
            first = .failure(fault)
        }
        await source.forget(key)
        let other = try await source.credentials()
        guard !other.isSame(as: key) else { return try first.get() }
        do {
            return try await sent(call, with: other)
        } catch let fault as ConnectorFault where fault.error.code == "connector.credentials" {
            await source.forget(other)
            throw fault
        }
    }

    private func sent(_ call: SystemCall, with key: AWSCredentials) async throws -> SystemReply {
        try await caller.send(call) { signature.sign(&$0, with: key, at: caller.world.now()) }
    }

    // MARK: Services that speak JSON

    /// A service's answer: the requested data, or an error of its own that may be an answer too.
    enum Answer: Sendable {
        case value(RawJSON)
        /// The error's name, and the whole answer.
        case error(String, RawJSON)
    }

    /// - Parameters:
    ///   - target: The operation, e.g. `DynamoDB_20120810.Query`.
    ///   - isAnswer: Whether an error with this outcome is an answer.
    ///   - content: Whether success has a body.
    /// - Throws: `ConnectorFault` for every other error.
    func ask(
        _ target: String, version: String, _ body: [String: JSONValue], content: Content = .body, permission: String,
        limit: Int = 4 << 20, isAnswer: (ResponseOutcome) -> Bool = { _ in false }
    ) async throws -> Answer {
        var call = SystemCall(
            "POST", address, address.base + "/",
            headers: [("content-type", "application/x-amz-json-\(version)"), ("x-amz-target", target)],
            body: Array(try JSONEncoder().encode(JSONValue.object(body))), answers: [400, 403, 404, 409],
            permission: permission)
        call.limit = limit
        call.responses = responses
        call.reading = { Self.words(of: $0) }
        let credentials = try await source.credentials()
        let reply = try await send(call)
        if content == .nothing, Self.isEmptySuccess(reply) { return .value(try Self.nothing(from: system)) }
        let value = try reply.json(from: system)
        guard reply.status != 200 else {
            guard value.isObject else { throw ConnectorFault.garbled(system, "it is not an object") }
            return .value(value)
        }
        let told = Self.words(of: reply)
        let line = responses.line(reply.status, code: told.code, message: told.message)
        if isAnswer(line.outcome) { return .error(told.code, value) }
        let fault = responses.fault(
            reply.status, code: told.code, message: told.message, of: system, needs: permission)
        if fault.error.code == "connector.credentials" { await source.forget(credentials) }
        throw fault
    }

    /// The content of a successful answer.
    enum Content: Sendable {
        case body
        /// No body, or an empty object.
        case nothing
    }

    /// Anything may answer 200 without a body at a wrong address; services of AWS number their answers.
    private static func isEmptySuccess(_ reply: SystemReply) -> Bool {
        reply.status == 200 && reply.body.isEmpty && reply.headers["x-amzn-requestid"]?.isEmpty == false
    }

    private static func nothing(from system: String) throws -> RawJSON {
        try SystemReply(status: 200, headers: ["content-type": "application/json"], body: Array("{}".utf8))
            .json(from: system)
    }

    /// `{"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "…"}`.
    private static func words(of reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        return ErrorWords(
            code: code(value["__type"]?.string ?? value["code"]?.string ?? ""),
            message: (value["message"] ?? value["Message"])?.string ?? "")
    }

    /// The name of an error, without what some services put before and after it.
    static func code(_ text: String) -> String {
        let name = text.split(separator: "#").last?.split(separator: ":").first ?? ""
        return name.utf8.count <= 100 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
            ? String(name) : ""
    }
}
