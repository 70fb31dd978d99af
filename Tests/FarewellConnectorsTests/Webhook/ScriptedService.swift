// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellVerifier
import Testing

/// A service with scripted answers, at addresses that change.
final class ScriptedService: HTTPSending {
    enum Reply: Sendable {
        case json(Int, String)
        case failure(SendingFailure)
    }

    static let secret = "whsec_" + String(repeating: "A", count: 44)
    static let former = "whsec_" + String(repeating: "C", count: 44)
    private let addresses: Guarded<[String]>
    private let replies: Guarded<[Reply]>
    private let seen = Guarded<[SystemCall]>([])

    /// - Parameter addresses: The addresses of the host's name, one after another; the last one for ever.
    init(addresses: [String] = ["8.8.8.8"], replies: [Reply] = []) {
        self.addresses = Guarded(addresses)
        self.replies = Guarded(replies)
    }

    var sent: [SystemCall] { seen.withLock { $0 } }

    func close() async throws {}

    func send(_ call: SystemCall) async throws -> SystemReply {
        seen.withLock { $0.append(call) }
        switch replies.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        case .json(let status, let text):
            return SystemReply(status: status, headers: ["content-type": "application/json"], body: Array(text.utf8))
        case .failure(let failure): throw failure
        case nil: throw SendingFailure.cut
        }
    }

    func connector(
        secret: String = ScriptedService.secret, clock: Guarded<Double> = Guarded(1_800_000_000),
        _ edit: (inout SystemPlan) -> Void = { _ in }
    ) throws -> WebhookConnector {
        var world = ConnectorWorld.hurried(self, environment: ["SECRET": secret, "FORMER": Self.former])
        world.now = { clock.withLock { $0 } }
        world.resolve = { _, _ in self.addresses.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
        var system = SystemPlan(name: "lists", kind: "webhook")
        system.settings = ["endpoint": "https://hooks.example/erase"]
        system.secrets = ["secret": .environment("SECRET"), "former_secret": .environment("FORMER")]
        edit(&system)
        return try WebhookConnector(system, world: world)
    }

    /// A message as a service would sign it.
    static func signed(_ body: [UInt8], by secret: String, at time: Int64) -> SystemMessage {
        let key = (try? WebhookSignature.secret(secret)) ?? []
        return SystemMessage(
            headers: [
                "webhook-id": "msg_1", "webhook-timestamp": "\(time)",
                "webhook-signature": WebhookSignature.value(id: "msg_1", timestamp: time, body: body, secrets: [key]),
            ], body: body)
    }
}

extension SystemCall {
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The type of a message.
    var type: String { (try? StrictJSON.value(body))?["type"]?.string ?? "" }
}
