// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1

/// Refresh and session check of this build beside another build, such as the one before a change. Each serves a
/// database of its own, and they take turns.
struct ProgramPair: Comparison {
    let name = "pair"
    let title = "refresh and session check by 64 devices, beside the program that FAREWELL_BENCH_OTHER names"

    private static let devices = 64
    /// A refresh token is good once, so each load has sessions of its own.
    private static let sessions = 4_000

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        guard let path = ProcessInfo.processInfo.environment["FAREWELL_BENCH_OTHER"] else {
            world.tell("FAREWELL_BENCH_OTHER names no other program, so nothing is measured.")
            return []
        }
        var lines: [Report.Line] = []
        for dialect in [SQLDialect.postgresql, .sqlite] {
            lines += try await SessionFixture.with(dialect, in: world) { ours in
                try await SessionFixture.with(dialect, in: world) { theirs in
                    try await compare(ours, theirs, URL(filePath: path))
                }
            }
        }
        return lines
    }

    private func compare(
        _ ours: SessionFixture, _ theirs: SessionFixture, _ other: URL
    ) async throws -> [Report.Line] {
        let settings = ["FAREWELL_PEOPLE_ANONYMOUS": "allowed"]
        let first = try await ours.serve(settings)
        return try await ServerProcess.ending([first]) {
            let second = try await theirs.serve(settings, by: other)
            return try await ServerProcess.ending([second]) {
                let (checks, refreshes) = try await loads(of: [first.address, second.address], ours.world)
                return [
                    line("session check", ours.dialect, checks), line("refresh", ours.dialect, refreshes),
                ]
            }
        }
    }

    /// The results of both servers, round by round.
    private func loads(
        of addresses: [String], _ world: BenchWorld
    ) async throws -> (checks: [[HTTPLoad.Result]], refreshes: [[HTTPLoad.Result]]) {
        let seconds = world.isQuick ? 3 : 8
        var checks: [[HTTPLoad.Result]] = [[], []]
        var refreshes: [[HTTPLoad.Result]] = [[], []]
        for round in 0..<world.rounds {
            for place in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                let file = try await signUps(at: addresses[place], in: world)
                let check = HTTPLoad(
                    script: "bearer", lines: file, arguments: ["GET", "/auth/v1/user", "200"],
                    connections: Self.devices, seconds: seconds)
                let refresh = HTTPLoad(script: "refresh", lines: file, connections: Self.devices, seconds: seconds)
                checks[place].append(try await check.run(against: addresses[place]).checked())
                refreshes[place].append(try await refresh.run(against: addresses[place]).checked())
            }
        }
        return (checks, refreshes)
    }

    private func line(_ what: String, _ dialect: SQLDialect, _ results: [[HTTPLoad.Result]]) -> Report.Line {
        let ratios = zip(results[0], results[1]).map { $0.rate / $1.rate }
        return Report.Line(
            what: "\(what), \(dialect)", ours: results[0].text, baseline: results[1].text, ratio: ratios.median,
            target: .atLeast(0.97), rounds: ratios)
    }

    /// Signs anonymous users up over HTTP, because another build has tables of its own.
    ///
    /// - Returns: A file with a line for each: access token, refresh token.
    private func signUps(at server: String, in world: BenchWorld) async throws -> URL {
        let workers = 8
        let lines = try await withThrowingTaskGroup(of: [String].self) { tasks in
            for _ in 0..<workers {
                tasks.addTask {
                    var mine: [String] = []
                    for _ in 0..<Self.sessions / workers { mine.append(try await Self.signUp(at: server)) }
                    return mine
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        let file = world.folder.appending(path: "sessions-\(UUID().uuidString)")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        return file
    }

    private struct Grant: Decodable {
        let access_token: String
        let refresh_token: String
    }

    private static func signUp(at server: String) async throws -> String {
        var request = HTTPClientRequest(url: server + "/auth/v1/signup")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: "{}"))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 16)
        guard response.status == .ok else { throw FarewellError("bench.sign-up", .ours, "A sign-up was refused.") }
        let grant = try JSONDecoder().decode(Grant.self, from: Data(body.readableBytesView))
        return "\(grant.access_token) \(grant.refresh_token)"
    }
}
