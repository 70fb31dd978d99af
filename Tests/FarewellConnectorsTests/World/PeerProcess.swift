// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Foundation
import InteropProgram
import Testing

/// A program of `Interop` that simulates third-party systems during the tests.
struct PeerProcess: Sendable {
    /// Its output at the start.
    let facts: JSONValue
    /// Held, so that it goes on.
    private let program: InteropProgram

    /// Started once for all tests; it ends with this process.
    static let aws = Result { try PeerProcess("Interop/aws_services.py") }
    static let webhooks = Result { try PeerProcess("Interop/webhook_services.py") }
    static let vendors = Result { try PeerProcess("Interop/fakes/vendors.py") }
    static let contracts = Result { try PeerProcess("Interop/vendor_contracts.py serve") }

    init(_ script: String) throws {
        program = try InteropProgram(script)
        facts = try StrictJSON.value(Array(program.word.utf8))
    }

    func text(_ name: String) throws -> String { try #require(facts[name]?.string) }

    /// Asks the program's control.
    func control(_ method: String, _ path: String, _ body: String = "", query: String? = nil) async throws -> JSONValue {
        let address = try SystemAddress(try text("control"), system: "control")
        var call = SystemCall(
            method, address, address.base + path, body: Array(body.utf8), permission: "")
        call.limit = 16 << 20
        if let query { call.writtenPath = address.base + path + "?" + query }
        let reply = try await FaultySending.network.send(call)
        guard reply.status == 200 else { throw PeerFailure(what: "\(path): \(reply.status)") }
        return try StrictJSON.value(reply.body)
    }
}

struct PeerFailure: Error {
    let what: String
}
