// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1

/// How soon the first byte of a page comes, over loopback, and how much a page with all it needs weighs.
struct PageAnswers: Comparison {
    let name = "pages"
    let title = "the first byte of a page, over loopback, and its weight"

    private static let target = Duration.milliseconds(20)

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        try await SessionHouse.with(.postgresql, in: world) { house in
            let server = try await house.serve()
            do {
                let lines = try await answers(server.address, isQuick: world.isQuick)
                await server.stop()
                return lines
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    private func answers(_ address: String, isQuick: Bool) async throws -> [Report.Line] {
        var lines: [Report.Line] = []
        var weight = 0
        for path in ["/account", "/account/delete", "/account/style.css", "/account/script.js"] {
            var first = Latencies()
            for round in 0..<(isQuick ? 100 : 1_000) {
                var request = HTTPClientRequest(url: address + path)
                request.headers.add(name: "Accept-Language", value: "en")
                let watch = Stopwatch()
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
                // The client's own first connection is not the server's.
                if round > 0 { first.add(watch.elapsed()) }
                let body = try await response.body.collect(upTo: 1 << 20)
                guard response.status.code < 500 else {
                    throw FarewellError("bench.pages", .ours, "A page was answered \(response.status.code).")
                }
                if round == 0 { weight += body.readableBytes }
            }
            lines.append(
                Report.Line(
                    what: "first byte of \(path), p50", ours: first.text, baseline: "20 ms",
                    ratio: first.median / Self.target, target: .atMost(1)))
        }
        lines.append(
            Report.Line(what: "both pages with style and script", ours: "\(weight) bytes", baseline: "100000 bytes"))
        return lines
    }
}
