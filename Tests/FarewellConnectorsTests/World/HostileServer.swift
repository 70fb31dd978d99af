// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import InteropProgram
import Testing

/// A server whose answers are an attack or an accident, reached over the network as every other.
struct HostileServer: Sendable {
    let address: SystemAddress
    /// Held, so that it goes on.
    private let program: InteropProgram

    /// Started once for all tests; it ends with this process.
    static let running = Result { try HostileServer() }

    private init() throws {
        program = try InteropProgram("Interop/hostile_answers.py")
        address = try SystemAddress(program.word.filter { !$0.isNewline }, system: "hostile")
    }

    /// Sends a call to it instead of where it was to go.
    func answer(_ call: SystemCall, by path: String, within timeout: Duration) async throws -> SystemReply {
        var call = call
        call.address = address
        call.writtenPath = path
        call.pin = nil
        let sending = LiveHTTPSending(timeout: timeout)
        do {
            let reply = try await sending.send(call)
            try await sending.close()
            return reply
        } catch {
            try await sending.close()
            throw error
        }
    }

    func answer(_ path: String, within timeout: Duration = .seconds(60)) async throws -> SystemReply {
        try await answer(SystemCall("GET", address, "/", permission: ""), by: path, within: timeout)
    }
}
