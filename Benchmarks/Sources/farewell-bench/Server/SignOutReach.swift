// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1

/// How long after a sign-out's answer another service still lets the session in.
struct SignOutReach: Comparison {
    let name = "reach"
    let title = "from the answer of a sign-out to the first refusal by a service in a process of its own"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        var lines: [Report.Line] = []
        for dialect in [SQLDialect.postgresql, .sqlite] {
            let reached = try await SessionFixture.with(dialect, in: world) { house in
                let file = try await house.sessions(world.isQuick ? 100 : 500)
                // Of two servers on one PostgreSQL one ends the session, and the service follows the other.
                let server = try await house.serve()
                let other = dialect == .postgresql ? try await house.serve() : server
                let service = try await VerifyingService.start(house, following: other)
                let servers = dialect == .postgresql ? [service, other, server] : [service, server]
                do {
                    let reached = try await times(of: file, server: server.address, service: service.address)
                    for process in servers { await process.stop() }
                    return reached
                } catch {
                    for process in servers { await process.stop() }
                    throw error
                }
            }
            lines.append(
                Report.Line(
                    what: "p99 of \(reached.all.count) sign-outs, \(dialect)", ours: reached.text, baseline: "1 s",
                    ratio: reached.percentile(0.99).seconds, target: .atMost(1)))
        }
        return lines
    }

    private func times(of file: URL, server: String, service: String) async throws -> Latencies {
        var reached = Latencies()
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let token = String(line.prefix { $0 != " " })
            // A service that has just begun has the keys and the feed still to read.
            try await wait(for: 200, from: service, token, or: "The service did not accept a session that lives.")
            guard try await status(server + "/auth/v1/logout?scope=local", token, post: true) == 204 else {
                throw FarewellError("bench.reach", .ours, "A sign-out was refused.")
            }
            let watch = Stopwatch()
            try await wait(for: 401, from: service, token, or: "A sign-out did not reach the service.")
            reached.add(watch.elapsed())
        }
        return reached
    }

    /// Asks again and again, for half a minute at most.
    private func wait(for wanted: UInt, from service: String, _ token: String, or trouble: String) async throws {
        let watch = Stopwatch()
        while try await status(service + "/verified", token) != wanted {
            guard watch.elapsed() < .seconds(30) else { throw FarewellError("bench.reach", .ours, trouble) }
        }
    }

    private func status(_ address: String, _ token: String, post: Bool = false) async throws -> UInt {
        var request = HTTPClientRequest(url: address)
        if post { request.method = .POST }
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        _ = try await response.body.collect(upTo: 1 << 16)
        return response.status.code
    }
}
