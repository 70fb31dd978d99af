// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// A route of a service that checks a token, beside the same route without a check.
struct VerifiedRoute: Comparison {
    let name = "verified"
    let title = "a route checked by an embedded TokenVerifier, beside the same route without; 16 connections"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        try await SessionFixture.with(.sqlite, in: world) { house in
            // Fewer than a verifier remembers, and many more.
            let (few, many) = (try await house.sessions(500), try await house.sessions(20_000))
            let server = try await house.serve()
            let service = try await VerifyingService.start(house, following: server)
            do {
                let lines = try await measure(world, service.address, few: few, many: many)
                await service.stop()
                await server.stop()
                return lines
            } catch {
                await service.stop()
                await server.stop()
                throw error
            }
        }
    }

    private func measure(_ world: BenchWorld, _ address: String, few: URL, many: URL) async throws -> [Report.Line] {
        let seconds = world.isQuick ? 2 : 5
        let load = { (path: String, lines: URL) in
            try await HTTPLoad(script: "bearer", lines: lines, arguments: ["GET", path, "200"], seconds: seconds)
                .run(against: address).checked()
        }
        var (plain, known, fresh): ([HTTPLoad.Result], [HTTPLoad.Result], [HTTPLoad.Result]) = ([], [], [])
        _ = try await load("/verified", few)
        for _ in 0..<world.rounds {
            plain.append(try await load("/plain", few))
            known.append(try await load("/verified", few))
            fresh.append(try await load("/verified", many))
        }
        let line = { (what: String, ours: [HTTPLoad.Result], target: Report.Target) in
            let ratios = zip(ours, plain).map { $0.rate / $1.rate }
            return Report.Line(
                what: what, ours: ours.text, baseline: plain.text, ratio: ratios.median, target: target, rounds: ratios)
        }
        return [
            line("each token seen before (500 sessions by turns)", known, .atLeast(0.7)),
            line("each token seen for the first time: a signature checked each time", fresh, .none),
        ]
    }
}
