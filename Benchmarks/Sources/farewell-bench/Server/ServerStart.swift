// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1

/// How soon a server answers after its process was started, and what memory it takes.
struct ServerStart: Comparison {
    let name = "start"
    let title = "from the start of the process to the first answer, and memory"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        var lines: [Report.Line] = []
        for dialect in [SQLDialect.postgresql, .sqlite] {
            lines += try await SessionFixture.with(dialect, in: world) { house in
                try await starts(house) + memory(house)
            }
        }
        return lines
    }

    private func starts(_ house: SessionFixture) async throws -> [Report.Line] {
        // The client has connections and threads of its own to make, which are not the server's.
        var (first, again) = (Latencies(), Latencies())
        for round in 0..<(house.world.isQuick ? 10 : 30) {
            let watch = Stopwatch()
            let server = try await house.serve()
            let response = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: server.address + "/readyz"), timeout: .seconds(30))
            let took = watch.elapsed()
            await server.stop()
            guard response.status == .ok else { throw FarewellError("bench.start", .ours, "The server is not ready.") }
            if round == 0 { first.add(took) } else { again.add(took) }
        }
        return [
            Report.Line(
                what: "first start, which makes tables and keys, \(house.dialect)", ours: first.median.text,
                baseline: ""),
            Report.Line(
                what: "every other start, p50, \(house.dialect)", ours: again.text, baseline: "100 ms",
                ratio: again.median / .milliseconds(100), target: .atMost(1)),
        ]
    }

    private func memory(_ house: SessionFixture) async throws -> [Report.Line] {
        let count = house.world.isQuick ? 10_000 : 100_000
        var server = try await house.serve()
        let fresh = server.memory ?? 0
        await server.stop()
        let file = try await house.sessions(count)
        server = try await house.serve()
        let check = HTTPLoad(
            script: "bearer", lines: file, arguments: ["GET", "/auth/v1/user", "200", "once"],
            seconds: house.world.isQuick ? 20 : 120)
        do {
            _ = try await check.run(against: server.address).checked()
            let used = server.memory ?? 0
            await server.stop()
            return [
                Report.Line(
                    what: "memory after the start, \(house.dialect)", ours: "\(fresh.short) MiB", baseline: ""),
                Report.Line(
                    what: "memory with \(count) live sessions, each used once, \(house.dialect)",
                    ours: "\(used.short) MiB", baseline: ""),
            ]
        } catch {
            await server.stop()
            throw error
        }
    }
}
