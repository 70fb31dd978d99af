// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
@testable import FarewellServer
import FarewellSQL
import Foundation
import Logging
import Testing

@Suite("The release of parked erasures")
struct ParkedReleaseTests {
    /// Refuses every connection while it is away.
    private struct Absent: SQLDatabase {
        let database: any SQLDatabase
        let isAway: Guarded<Bool>

        var dialect: SQLDialect { database.dialect }

        func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
            guard !isAway.withLock({ $0 }) else { throw FarewellError("sql.08001", .tryAgain, "No server listens there.") }
            return try await database.withConnection(body)
        }

        func close() async { await database.close() }
    }

    @Test("the release of parked erasures is tried again while the database does not answer, and then no longer")
    func tryingAgain() async throws {
        let isAway = Guarded(false)
        try await ErasureMount.with(isWorking: .off, watching: { Absent(database: $0, isAway: isAway) }) { mount in
            let serving = try #require(mount.server.erasures)
            let plan = ReloadedPlan(
                at: nil, connecting: { _ in [:] }, engine: serving.engine, requests: mount.requests,
                environment: .live(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
            #expect(await plan.releaseParked() == .over)
            isAway.withLock { $0 = true }
            #expect(await plan.releaseParked() == .again)
            isAway.withLock { $0 = false }
            #expect(await plan.releaseParked() == .over)
        }
    }

    @Test("a plan's file that goes missing under a running server is logged once, and once that it is back")
    func missing() async throws {
        let lines = Guarded<[String]>([])
        let log = Logger(label: "test") { _ in
            ServerLog(.json, level: .trace) { line in lines.withLock { $0.append(line) } }
        }
        try await ErasureMount.with(isWorking: .off) { mount in
            let serving = try #require(mount.server.erasures)
            let path = mount.folder + "/plan.yaml"
            try Data("a plan".utf8).write(to: URL(fileURLWithPath: path))
            let plan = ReloadedPlan(
                at: path, connecting: { _ in [:] }, engine: serving.engine, requests: mount.requests, environment: .live(log: log))
            #expect(!plan.reportMissing(before: false) && lines.withLock { $0.isEmpty })
            try FileManager.default.removeItem(atPath: path)
            #expect(plan.reportMissing(before: false) && plan.reportMissing(before: true))
            #expect(lines.withLock { $0.count == 1 && $0[0].contains("\"error\"") && $0[0].contains("plan.yaml") })
            try Data("a plan".utf8).write(to: URL(fileURLWithPath: path))
            #expect(!plan.reportMissing(before: true) && lines.withLock { $0.count } == 2)
        }
    }
}
