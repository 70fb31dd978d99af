// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// The usual calls of devices: refresh, session check, sign-out, each beside one UPDATE by primary key over the same
/// driver with as many connections to the database.
struct SessionRates: Comparison {
    let name = "sessions"
    let title = "refresh, session check and sign-out over HTTP on loopback"

    /// How many devices ask at once: about as many as the server has connections to the database, more than those, and
    /// as many as keep it busy throughout.
    private static let crowds = [16, 64, 256]

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let costs = try BareSessionCosts.signature()
        var lines = [
            Report.Line(what: "one ES256 signature, p50", ours: "", baseline: costs.signing.text),
            Report.Line(what: "one ES256 verification, p50", ours: "", baseline: costs.verifying.text),
        ]
        for dialect in [SQLDialect.postgresql, .sqlite] {
            lines += try await SessionFixture.with(dialect, in: world) { try await measure($0) }
        }
        return lines
    }

    private func measure(_ house: SessionFixture) async throws -> [Report.Line] {
        let seconds = house.world.isQuick ? 3 : 8
        let rounds = house.world.rounds
        // A refresh token is good once, so each load has sessions of its own.
        let files = try await (0..<rounds).asyncMap { _ in
            try await Self.crowds.asyncMap { (crowd: $0, sessions: try await house.sessions(4_000)) }
        }
        let leaving = try await house.sessions(seconds * 6_000)
        let server = try await house.serve()
        do {
            var updates: [HTTPLoad.Result] = []
            var refreshes: [Int: [HTTPLoad.Result]] = [:]
            var checks: [Int: [HTTPLoad.Result]] = [:]
            for round in files {
                updates.append(try await BareSessionCosts.updates(house, of: round[0].sessions, seconds: seconds))
                for (crowd, file) in round {
                    let check = HTTPLoad(
                        script: "bearer", lines: file, arguments: ["GET", "/auth/v1/user", "200"], connections: crowd,
                        seconds: seconds)
                    let refresh = HTTPLoad(script: "refresh", lines: file, connections: crowd, seconds: seconds)
                    refreshes[crowd, default: []].append(try await refresh.run(against: server.address).checked())
                    checks[crowd, default: []].append(try await check.run(against: server.address).checked())
                }
            }
            let signOut = HTTPLoad(
                script: "bearer", lines: leaving, arguments: ["POST", "/auth/v1/logout?scope=local", "204", "once"],
                seconds: seconds)
            let left = try await signOut.run(against: server.address).checked()
            await server.stop()
            return Self.crowds.flatMap { crowd in
                [
                    line("refresh, \(crowd) at once", house, refreshes[crowd] ?? [], updates, target: .atLeast(0.5)),
                    line("session check, \(crowd) at once", house, checks[crowd] ?? [], updates),
                ]
            } + [line("sign-out, 16 at once", house, [left], updates)]
        } catch {
            await server.stop()
            throw error
        }
    }

    private func line(
        _ what: String, _ house: SessionFixture, _ ours: [HTTPLoad.Result], _ updates: [HTTPLoad.Result],
        target: Report.Target = .none
    ) -> Report.Line {
        let ratios = zip(ours, updates).map { $0.rate / $1.rate }
        return Report.Line(
            what: "\(what), \(house.dialect)", ours: ours.text, baseline: updates.text, ratio: ratios.median,
            target: target, rounds: ratios)
    }
}

extension [HTTPLoad.Result] {
    /// Of several rounds, the median of each figure.
    var text: String {
        let median = { (value: (HTTPLoad.Result) -> Duration) in Duration.seconds(map { value($0).seconds }.median) }
        return "\(map(\.rate).median.short)/s, p50 \(median(\.median).text), p99 \(median(\.p99).text)"
    }
}

extension Sequence {
    /// One after the other.
    func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
