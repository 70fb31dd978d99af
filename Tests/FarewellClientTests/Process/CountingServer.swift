// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import InteropProgram
import Testing

/// A small server in memory, which counts.
struct CountingServer {
    private let program: InteropProgram

    var url: String { program.word }

    init(_ profile: ExampleProfile = .sessions) throws { try self.init(script: profile.server) }

    init(script: String) throws { program = try InteropProgram(script) }

    /// A server of a profile and a new app that speaks to it; both are gone afterwards.
    static func with(
        _ profile: ExampleProfile = .sessions, _ use: (CountingServer, DeviceProcess) async throws -> Void
    ) async throws {
        let server = try CountingServer(profile)
        let app = DeviceProcess(profile, server: server.url)
        defer {
            server.stop()
            app.remove()
        }
        try await use(server, app)
    }

    func stop() { program.stop() }

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
