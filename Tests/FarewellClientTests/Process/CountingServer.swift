// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import Testing

/// A small server in memory, which counts. It ends with its standard input, that is with this process at the latest.
struct CountingServer {
    private let process: Process
    private let input: Pipe
    let url: String

    init(_ profile: ExampleProfile = .sessions) throws { try self.init(script: profile.server) }

    init(script: String) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process.arguments = ["python3", root.appending(path: script).path]
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var said = ""
        while !said.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Odd("\(script) did not start; use `make test`") }
            said += String(decoding: data, as: UTF8.self)
        }
        url = said.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }

    struct Count: Decodable {
        let people: [String: String]
        let sessions: [String]
        let erasures: [[String: String]]
        let alarms, refreshes: Int
    }

    func count() async throws -> Count { try JSONDecoder().decode(Count.self, from: await control("GET", "").body) }

    /// Tells the server how to behave from now on.
    func behave(_ how: String) async throws { #expect(try await control("POST", "/" + how).status == 200) }

    func control(_ method: String, _ path: String) async throws -> HTTPExchange.Answer {
        try await LiveHTTPTransport(timeout: 60).send(.init(method, try #require(URL(string: url + "/control" + path))))
    }
}
