// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Foundation
import Testing

/// A program of `Interop` that plays systems of others for as long as the tests run.
struct PeerProcess: Sendable {
    /// What it said at its start.
    let facts: JSONValue

    /// Started once for all tests; it ends with its standard input, that is with this process.
    static let aws = Result { try PeerProcess("Interop/aws_services.py") }
    static let vendors = Result { try PeerProcess("Interop/fakes/vendors.py") }

    private let input: Pipe
    private let process: Process

    init(_ script: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", root.appending(path: script).path]
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var said: [UInt8] = []
        var byte: UInt8 = 0
        while byte != 0x0a {
            let count = read(output.fileHandleForReading.fileDescriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw PeerFailure(what: "\(script) did not start; use `make test`") }
            said.append(byte)
        }
        facts = try StrictJSON.value(Array(said.prefix { $0 != 0x0a }))
    }

    func text(_ name: String) throws -> String { try #require(facts[name]?.string) }

    /// Asks the program's control.
    func control(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
        let address = try SystemAddress(try text("control"), system: "control")
        var call = SystemCall(
            method, address, address.base + path, body: Array(body.utf8), permission: "")
        call.limit = 16 << 20
        let reply = try await TroubledSending.network.send(call)
        guard reply.status == 200 else { throw PeerFailure(what: "\(path): \(reply.status)") }
        return try StrictJSON.value(reply.body)
    }
}

struct PeerFailure: Error {
    let what: String
}
