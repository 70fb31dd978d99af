// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Erasures under a wrong clock")
struct EngineClockTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE invoices (id integer PRIMARY KEY, customer integer REFERENCES people (id), total text);
        CREATE INDEX by_customer ON invoices (customer);
        INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org'), (3, 'c@example.org'), (4, 'd@example.org');
        INSERT INTO invoices VALUES (101, 1, '7.00'), (102, 1, '8.00'), (201, 2, '9.00');
        """

    private static func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            let retention = Retention(reason: "tax law", period: Period(10, .year), then: .erase)
            plan.set("invoices", .retain(retention), ["customer": .null, "total": .retain])
        }
    }

    private static func with(_ dialect: SQLDialect, _ use: (WorkerFixture) async throws -> Void) async throws {
        try await EngineFixture.with(dialect, script, postgresql: PostgreSQLConfiguration(maximumConnections: 16)) { fixture in
            try await use(WorkerFixture(fixture: fixture, engine: try await fixture.engine(try await plan(fixture))))
        }
    }

    @Test("OP-3 a clock that was never compared is not trusted, and the first look compares it", arguments: SQLDialect.allCases)
    func unexamined(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            let engine = place.engine
            let clock = StoreClock(engine.database, keys: engine.keys, engine.environment)
            #expect(clock.fault == .unexamined && !clock.isTrusted)
            let refusal = #expect(throws: FarewellError.self) { try clock.requireTrustedBefore() }
            #expect(refusal?.message.contains("has not been compared") == true, "\(String(describing: refusal))")
            await clock.recheck()
            #expect(clock.fault == nil && clock.isTrusted)
            try clock.requireTrustedBefore()
        }
    }

    private static let looking = ServiceRules(secondLook: 600, poll: 1)
    private static let patient = ServiceRules(graceDays: 30, secondLook: 600, poll: 1)

    /// Does every duty once, and takes what there is to do.
    private static func work(_ place: WorkerFixture) async throws -> [ErasureRecord] {
        let workers = place.workers(looking)
        for duty in workers.duties { try await duty.perform() }
        return try #require(await workers.claimed())
    }

    private static func carryOut(_ place: WorkerFixture, _ records: [ErasureRecord]) async {
        await place.workers(looking).batch { _ in }.carryOut(records)
    }

    /// The remaining timed data: invoices, second looks, proofs, events, graces.
    private static func left(_ place: WorkerFixture) async throws -> [String] {
        let fixture = place.fixture
        var left: [String] = []
        for query in [
            "SELECT count(*) FROM invoices",
            "SELECT count(*) FROM \(fixture.control("keepsakes")) WHERE look_at < '2002-01-01T00:00:00.000Z'",
            "SELECT count(*) FROM \(fixture.control("step_ups"))",
            "SELECT count(*) FROM \(fixture.control("events")) WHERE happened_at < '2002-01-01T00:00:00.000Z'",
            "SELECT count(*) FROM \(fixture.control("erasures")) WHERE state = 'grace'",
        ] { left += try await fixture.rows(query) }
        return left
    }

    /// Lets everything be over that has its time.
    private static func ripen(_ place: WorkerFixture) async throws {
        let fixture = place.fixture
        let past = "'2001-01-01T00:00:00.000Z'"
        try await fixture.run(
            """
            UPDATE \(fixture.control("retentions")) SET until = '2001-12-31';
            UPDATE \(fixture.control("keepsakes")) SET look_at = \(past) WHERE look_at IS NOT NULL;
            UPDATE \(fixture.control("step_ups")) SET expires_at = \(past);
            UPDATE \(fixture.control("events")) SET happened_at = \(past);
            UPDATE \(fixture.control("requests")) SET ready_at = \(past) WHERE ready_at IS NOT NULL;
            """)
    }

    /// Person 1 is erased, with invoices retained and a second look to come; person 2 may take it back.
    private static func fill(_ place: WorkerFixture) async throws {
        _ = try await place.requests(looking).request("1")
        await carryOut(place, try #require(await place.workers(looking).claimed()))
        _ = try await place.requests(patient).request("2")
        _ = try await place.requests().stepUp(of: "3", for: .requestErasure)
        #expect(try await place.fixture.rows("SELECT state FROM \(place.fixture.control("erasures"))") == ["done", "grace"])
    }

    @Test(
        "OP-3 OPS-10 a worker whose clock is wrong ends no retention and no grace, clears nothing and runs no second look",
        arguments: WrongClock.all)
    func nothingIrreversible(_ wrong: WrongClock) async throws {
        try await Self.with(wrong.dialect) { place in
            try await Self.fill(place)
            let clock = place.fixture.clock
            // Nothing is over by the time.
            clock.error = wrong.error
            #expect(try await Self.work(place).isEmpty)
            #expect(try await place.fixture.count("invoices") == 3, "OPS-10: the invoices stay")
            // Everything is over, but a clock that is wrong says nothing.
            try await Self.ripen(place)
            let before = try await Self.left(place)
            #expect(!before.contains("0"), "\(before)")
            #expect(try await Self.work(place).isEmpty)
            #expect(try await Self.left(place) == before)
            #expect(place.fixture.clockLines.count == 1, "\(place.fixture.clockLines)")
            #expect(place.engine.clockFault?.trouble != nil)

            clock.error = 0
            _ = try await place.requests(Self.looking).request("3")
            #expect(try await place.engine.erase(["4"]).map(\.word) == ["done"])
            await Self.carryOut(place, try await Self.work(place))
            _ = try await Self.work(place)
            // The invoice of person 2 is retained now, from the end of the grace on.
            #expect(try await Self.left(place) == ["1", "0", "0", "0", "0"])
            #expect(try await place.fixture.count("people") == 0)
        }
    }

    @Test(
        "OP-3 OPS-10 on SQLite an operator confirms the clock, and expired retentions end",
        arguments: [346_896_000, 90_000] as [TimeInterval])
    func confirmed(_ error: TimeInterval) async throws {
        try await Self.with(.sqlite) { place in
            try await Self.fill(place)
            place.fixture.clock.error = error
            try await Self.ripen(place)
            #expect(try await Self.work(place).isEmpty)
            #expect(try await place.fixture.count("invoices") == 3)
            try place.fixture.confirmClock()
            place.fixture.clock.now += 61
            #expect(try await Self.work(place).map(\.state) == [.fenced])
            #expect(try await place.fixture.count("invoices") == 1)
            // Set right again later, it has jumped back.
            place.fixture.clock.error = 0
            try await place.fixture.run("UPDATE \(place.fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z'")
            _ = try await Self.work(place)
            #expect(place.fixture.clockLines.count == 2 && place.fixture.clockLines.last?.contains("back") == true)
        }
    }

    /// How a worker on SQLite comes back after three weeks.
    enum Return: String, Sendable, CaseIterable {
        case sameStart = "the machine ran on"
        case restarted = "the machine was off"
        case markIsGone = "the mark is gone"
        case markIsBroken = "the mark cannot be read"
    }

    @Test(
        "OP-3 OPS-10 on SQLite a worker that returns after weeks trusts its clock where the monotonic clock agrees",
        arguments: Return.allCases)
    func cameBack(_ how: Return) async throws {
        try await Self.with(.sqlite) { place in
            try await Self.fill(place)
            try await Self.ripen(place)
            place.fixture.clock.now += 21 * 86_400
            var environment = place.fixture.environment(owner: "here:2:b")
            let mark = place.fixture.state + "/clock.json"
            switch how {
            case .sameStart: break
            case .restarted: environment.boot = "another start"
            case .markIsGone: try FileManager.default.removeItem(atPath: mark)
            case .markIsBroken: try Data("{\"wall\":".utf8).write(to: URL(fileURLWithPath: mark))
            }
            let engine = try await ErasureEngine.open(
                place.fixture.database, plan: try await Self.plan(place.fixture), folder: place.fixture.folder,
                state: place.fixture.state, environment: environment)
            let again = WorkerFixture(fixture: place.fixture, engine: engine)
            let claimed = try await Self.work(again)
            #expect(claimed.count == (how == .sameStart ? 1 : 0))
            #expect(try await place.fixture.count("invoices") == (how == .sameStart ? 1 : 3))
            guard how != .sameStart else { return }
            try ClockFile(.existing(at: place.fixture.state)).confirm(environment.reading)
            place.fixture.clock.now += 61
            #expect(try await Self.work(again).count == 1)
            #expect(try await place.fixture.count("invoices") == 1)
        }
    }

    // MARK: Stored times

    private static func refusal(_ act: () async throws -> Void) async -> FarewellError? {
        do {
            try await act()
            return nil
        } catch {
            return error as? FarewellError
        }
    }

    private static func untils(_ place: WorkerFixture) async throws -> [String] {
        try await place.fixture.rows("SELECT until FROM \(place.fixture.control("retentions"))")
    }

    @Test(
        "OP-3 OPS-10 under a wrong clock no erasure with a retention counted from today begins: it may be tried again",
        arguments: WrongClock.all)
    func countedFromToday(_ wrong: WrongClock) async throws {
        try await Self.with(wrong.dialect) { place in
            let fixture = place.fixture
            fixture.clock.error = wrong.error
            let refusals = [
                await Self.refusal { _ = try await place.engine.erase(["1"]) },
                await Self.refusal { _ = try await place.engine.resume() },
                await Self.refusal { _ = try await place.requests(Self.looking).request("1") },
            ]
            for refusal in refusals {
                #expect(refusal?.code == "erasure.clock" && refusal?.family == .tryAgain, "\(String(describing: refusal))")
                #expect(refusal?.message.contains("clock") == true)
                let remedy = wrong.dialect == .sqlite ? "--confirm-clock" : "NTP"
                #expect(refusal?.remedy?.contains(remedy) == true)
            }
            #expect(try await fixture.count("people") == 4)
            #expect(try await fixture.count("invoices") == 3)
            #expect(try await fixture.rows("SELECT id FROM \(fixture.control("erasures"))").isEmpty)
            fixture.clock.error = 0
            #expect(try await place.engine.erase(["1"]).map(\.word) == ["done"])
            #expect(try await Self.untils(place) == ["2035-11-21"])
            _ = try await Self.work(place)
            #expect(try await fixture.count("invoices") == 3)
        }
    }

    @Test(
        "OP-3 OPS-10 a worker under a wrong clock postpones erasures with a retention that starts today",
        arguments: WrongClock.all)
    func carriedOutLater(_ wrong: WrongClock) async throws {
        try await Self.with(wrong.dialect) { place in
            _ = try await place.requests(Self.looking).request("1")
            place.fixture.clock.error = wrong.error
            #expect(try await Self.work(place).isEmpty)
            try await Rescuer(workers: place.workers(Self.looking)).rescue()
            #expect(try await Self.untils(place).isEmpty)
            place.fixture.clock.error = 0
            await Self.carryOut(place, try await Self.work(place))
            #expect(try await Self.untils(place) == ["2035-11-21"])
        }
    }

    @Test(
        "OP-3 OPS-10 a clock that jumps during an erasure stores no day counted from it: the erasure ends later",
        arguments: SQLDialect.allCases)
    func jumpedMeanwhile(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            _ = try await place.requests(Self.looking).request("1")
            let claimed = try await Self.work(place)
            #expect(claimed.count == 1)
            place.fixture.clock.error = -11 * 365 * 86_400
            await Self.carryOut(place, claimed)
            #expect(try await Self.untils(place).isEmpty)
            #expect(try await place.fixture.rows("SELECT id FROM \(place.fixture.control("erasures")) WHERE state = 'done'").isEmpty)
            place.fixture.clock.error = 0
            #expect(try await place.engine.resume(takingOver: true).map(\.word) == ["done"])
            #expect(try await Self.untils(place) == ["2035-11-21"])
        }
    }

    @Test(
        "OP-3 OPS-10 under a wrong clock no request with a grace period is accepted, and an erasure that needs no day runs",
        arguments: WrongClock.all)
    func grace(_ wrong: WrongClock) async throws {
        try await EngineFixture.with(wrong.dialect, Self.script) { fixture in
            let place = WorkerFixture(fixture: fixture, engine: try await fixture.engine())
            fixture.clock.error = wrong.error
            let refusal = await Self.refusal { _ = try await place.requests(Self.patient).request("2") }
            #expect(refusal?.code == "erasure.clock" && refusal?.family == .tryAgain)
            #expect(try await fixture.rows("SELECT id FROM \(fixture.control("erasures"))").isEmpty)
            let asked = try await place.requests(Self.looking).request("3")
            let claimed = try await Self.work(place)
            #expect(claimed.map(\.id) == [asked.erasure.id])
            await Self.carryOut(place, claimed)
            #expect(try await place.requests().erasure(asked.erasure.id)?.state == .done)
            #expect(try await place.engine.erase(["4"]).map(\.word) == ["done"])
            fixture.clock.error = 0
            #expect(try await place.requests(Self.patient).request("2").erasure.state == .grace)
        }
    }

    @Test(
        "OP-3 OPS-10 PostgreSQL's clock and the machine's jump together: nothing ends until an operator confirms the time",
        arguments: [11 * 365 * 86_400, -11 * 365 * 86_400, 90_000, -90_000] as [TimeInterval])
    func jumpedTogether(_ error: TimeInterval) async throws {
        try await Self.with(.postgresql) { place in
            let clock = place.fixture.clock
            try await Self.fill(place)
            (clock.error, clock.databaseError) = (error, error)
            try await Self.ripen(place)
            let before = try await Self.left(place)
            #expect(try await Self.work(place).isEmpty)
            #expect(try await Self.left(place) == before)
            let refusal = await Self.refusal { _ = try await place.engine.erase(["4"]) }
            #expect(refusal?.remedy?.contains("--confirm-clock") == true, "\(String(describing: refusal))")
            // A process that starts now has only the mark to go by.
            let again = WorkerFixture(
                fixture: place.fixture, engine: try await place.fixture.engine(try await Self.plan(place.fixture), owner: "here:2:b"))
            #expect(try await Self.work(again).isEmpty)
            #expect(try await Self.left(place) == before)
            try place.fixture.confirmClock()
            clock.now += 61
            #expect(try await Self.work(place).map(\.state) == [.fenced])
            #expect(try await place.engine.erase(["4"]).map(\.word) == ["done"])
        }
    }

    @Test("OP-3 only the owner can read the mark of the clock")
    func privateMark() async throws {
        try await Self.with(.sqlite) { place in
            let mark = try FileManager.default.attributesOfItem(atPath: place.fixture.state + "/clock.json")
            #expect(mark[.posixPermissions] as? Int == 0o600)
        }
    }
}
