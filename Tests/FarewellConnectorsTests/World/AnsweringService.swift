// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

/// Answers every call by a function, and keeps what was sent.
final class AnsweringService: HTTPSending {
    private let answer: @Sendable (SystemCall) -> SystemReply
    private let seen = Guarded<[SystemCall]>([])

    init(_ answer: @escaping @Sendable (SystemCall) -> SystemReply) { self.answer = answer }

    var sent: [SystemCall] { seen.withLock { $0 } }

    func send(_ call: SystemCall) async throws -> SystemReply {
        seen.withLock { $0.append(call) }
        RequestRecord.current?.add(call)
        let reply = answer(call)
        // As the real world does.
        guard reply.body.count <= call.limit else { throw SendingFailure.tooLong }
        return reply
    }

    func close() async throws {}

    /// A connector of that kind that speaks to it.
    func connector(
        _ kind: String, _ settings: [String: String], owned: OwnedItems? = nil, key: String = "k"
    ) throws -> any Connector {
        var system = SystemPlan(name: "it", kind: kind, settings: settings)
        system.owned = owned
        if !["s3", "dynamodb", "cognito"].contains(kind) {
            let isGoogle = kind.hasPrefix("fire") || kind == "realtime-database"
            let names = ["apple": "private_key", "webhook": "secret"]
            system.secrets = [isGoogle ? "service_account" : names[kind] ?? "key": .environment("KEY")]
        }
        let plan = Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system])
        let world = ConnectorWorld.hurried(
            self, environment: ["KEY": key, "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "s"])
        return try #require(try ConnectorKinds.connectors(of: plan, world: world)["it"])
    }
}

extension SystemReply {
    static func json(_ status: Int = 200, _ text: String) -> SystemReply {
        SystemReply(status: status, headers: ["content-type": "application/json"], body: Array(text.utf8))
    }

    static func xml(_ status: Int = 200, _ text: String) -> SystemReply {
        SystemReply(status: status, headers: ["content-type": "application/xml"], body: Array(text.utf8))
    }
}

/// The message of the fault that a call ends with, and its code; `nil` where it ends with none.
func fault(_ call: () async throws -> Void) async -> FarewellError? {
    do {
        try await call()
        return nil
    } catch let fault as ConnectorFault {
        return fault.error
    } catch {
        return error as? FarewellError
    }
}

extension String {
    /// As the programs of `Interop` write a name as the key of a census: two names that Unicode takes for one stay two.
    var plain: String {
        unicodeScalars.map { (0x20..<0x7f).contains($0.value) ? String($0) : "<\(String($0.value, radix: 16))>" }.joined()
    }
}
