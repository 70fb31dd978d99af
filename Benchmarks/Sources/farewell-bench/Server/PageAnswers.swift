// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellSample
import Foundation
import NIOCore
import NIOHTTP1

/// How soon the first byte of a page comes, over loopback, and how much a page with all it needs weighs.
struct PageAnswers: Comparison {
    let name = "pages"
    let title = "the first byte of a page, over loopback, and its weight"

    private static let target = Duration.milliseconds(20)
    private static let heaviest = 100_000

    /// How often one user requests a page: a server counts an account's rows only so often.
    private static let visits = 12

    /// A page, and the session tokens with which it is requested by turns; `nil` to request it without a session.
    private struct Page {
        let path: String
        let tokens: [String]?
        var name: String { path + (tokens == nil ? "" : ", signed in") }
    }

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let people = try SamplePeople(.coachme, people: 100)
        return try await ServiceFixture.with(people, in: world) { house in
            let server = try await house.serve(concurrency: 1)
            return try await ServerProcess.ending([server]) {
                let rounds = world.isQuick ? 100 : 1_000
                var tokens: [String] = []
                for number in 0...rounds / Self.visits {
                    tokens.append(try await house.token(of: people.subjectKey(at: number), at: server))
                }
                return try await answers(server.address, tokens, rounds: rounds)
            }
        }
    }

    private func answers(_ address: String, _ tokens: [String], rounds: Int) async throws -> [Report.Line] {
        let files = ["/account/style.css", "/account/script.js"].map { Page(path: $0, tokens: nil) }
        let pages = ["/account", "/account/delete"].flatMap {
            [Page(path: $0, tokens: nil), Page(path: $0, tokens: tokens)]
        }
        var lines: [Report.Line] = []
        var weights: [Int] = []
        for page in files + pages {
            let (first, weight) = try await ask(page, at: address, rounds)
            weights.append(weight)
            lines.append(
                Report.Line(
                    what: "first byte of \(page.name), p50", ours: first.text, baseline: "20 ms",
                    ratio: first.median / Self.target, target: .atMost(1)))
        }
        let all = weights.prefix(files.count).reduce(0, +) + (weights.dropFirst(files.count).max() ?? 0)
        lines.append(
            Report.Line(
                what: "the heaviest page with style and script", ours: "\(all) bytes",
                baseline: "\(Self.heaviest) bytes", ratio: Double(all) / Double(Self.heaviest), target: .atMost(1)))
        return lines
    }

    /// The first byte is there when the head of the answer is: the server sends a page's head with its body.
    private func ask(_ page: Page, at address: String, _ rounds: Int) async throws -> (Latencies, weight: Int) {
        var (first, weight) = (Latencies(), 0)
        for round in 0..<rounds {
            var request = HTTPClientRequest(url: address + page.path)
            request.headers.add(name: "Accept-Language", value: "en")
            if let token = page.tokens?[round / Self.visits] {
                request.headers.add(name: "Cookie", value: "farewell-session=\(token)")
            }
            let watch = Stopwatch()
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            // The client's own first connection is not the server's.
            if round > 0 { first.add(watch.elapsed()) }
            weight = try await response.body.collect(upTo: 1 << 20).readableBytes
            guard response.status == .ok else {
                throw FarewellError("bench.pages", .ours, "\(page.name) was answered \(response.status.code).")
            }
        }
        return (first, weight)
    }
}
