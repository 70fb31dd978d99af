// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The times of receipts")
struct ReceiptTimeTests {
    /// The way of an erasure.
    enum Way: String, Sendable, CaseIterable {
        case together = "by a worker, several in one transaction"
        case stepByStep = "by a worker, step by step"
        case alone = "by the command, one in one transaction"
        case group = "by the command, several in one transaction"
    }

    /// By how many seconds two processes' clocks are ahead.
    struct Skew: Sendable {
        let accepting: TimeInterval
        let working: TimeInterval

        private static let ahead: [TimeInterval] = [3_600, -3_600, 346_896_000]
        static let all = ahead.map { Skew(accepting: $0, working: -$0) }
    }

    private static func engine(_ place: WorkerFixture, _ owner: String, ahead: TimeInterval) async throws -> WorkerFixture {
        let live = LiveWorld.now
        var environment = EngineEnvironment(
            now: { live() + ahead }, makeIdentifier: { UUID() }, sleep: { try await ContinuousClock().sleep(for: $0) },
            owner: owner, isDead: { _ in false }, log: place.fixture.log.logger)
        environment.boot = "here"
        let fixture = place.fixture
        let engine = try await ErasureEngine.open(
            fixture.database, plan: try await WorkerFixture.plan(fixture), folder: fixture.folder, state: fixture.state,
            environment: environment)
        return WorkerFixture(fixture: fixture, engine: engine)
    }

    private static func databaseTime(_ place: WorkerFixture) async throws -> Date {
        try #require(try await place.fixture.database.withConnection { try await $0.run("SELECT clock_timestamp()").scalar?.date })
    }

    @Test(
        "OP-3 OPS-10 a receipt takes its times from PostgreSQL, whatever the clocks of server and worker: it ends after it began",
        arguments: Way.allCases, Skew.all)
    func databases(_ way: Way, _ ahead: Skew) async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let accepting = try await Self.engine(place, "one:1:a", ahead: ahead.accepting)
            let working = try await Self.engine(place, "two:2:b", ahead: ahead.working)
            let began = try await Self.databaseTime(place)
            switch way {
            case .together, .stepByStep:
                for subject in ["1", "2", "3"] { _ = try await accepting.requests().request(subject) }
                let workers = ErasureWorkers(
                    working.engine, rules: WorkerFixture.brisk,
                    options: way == .stepByStep ? ErasureOptions(deepScan: .bounded(rows: 1_000)) : ErasureOptions())
                await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
            case .alone: for subject in ["1", "2", "3"] { _ = try await working.engine.erase([subject]) }
            case .group: _ = try await working.engine.erase(["1", "2", "3"])
            }
            let ended = try await Self.databaseTime(place)
            let statuses = try await place.engine.statuses()
            #expect(statuses.count == 3)
            for status in statuses {
                let receipt = try await place.engine.openReceipt(of: status.erasure.id)
                #expect(receipt.requestedAt <= receipt.finishedAt && receipt.finishedAt <= receipt.issuedAt)
                // A round trip's half is what reading another machine's clock leaves open.
                for time in [receipt.requestedAt, receipt.finishedAt, receipt.issuedAt] {
                    #expect(time > began - 2 && time < ended + 2, "\(time), between \(began) and \(ended)")
                }
                let finished = try #require(status.erasure.finishedAt)
                #expect(status.erasure.requestedAt <= finished)
            }
            for entry in try await place.engine.context(ErasureOptions()).audit.entries(on: place.fixture.database) {
                #expect(entry.at > began - 2 && entry.at < ended + 2, "\(entry.act)")
            }
        }
    }

    @Test("OP-3 on SQLite an erasure, done or cancelled, ends after it began, even if the clock was set back meanwhile")
    func setBack() async throws {
        try await WorkerFixture.with(.sqlite) { place in
            let requests = place.requests()
            let asked = try await requests.request("1").erasure.id
            let grace = place.requests(ServiceRules(graceDays: 3, secondLook: 0, poll: 1))
            let second = try await grace.request("2").erasure.id
            place.fixture.clock.error = -3_600
            let workers = place.workers()
            await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
            _ = try await grace.cancel(second, by: "2")
            let receipt = try await place.engine.openReceipt(of: asked)
            #expect(receipt.requestedAt == receipt.finishedAt)
            for id in [asked, second] {
                let record = try #require(try await place.engine.status(of: id)?.erasure)
                let finished = try #require(record.finishedAt)
                #expect(record.requestedAt <= finished, "\(record.state)")
            }
        }
    }
}
