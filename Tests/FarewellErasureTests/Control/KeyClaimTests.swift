// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A database belongs to the keys that erased in it")
struct KeyClaimTests {
    private func open(_ fixture: EngineFixture, state: String) async throws -> ErasureEngine {
        try await ErasureEngine.open(
            fixture.database, plan: try await fixture.plan(), folder: fixture.folder, state: state,
            environment: .live(log: fixture.log.logger))
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Removes what a database of an earlier version does not have.
    private func forget(_ fixture: EngineFixture) async throws {
        try await fixture.run("DROP TABLE \(fixture.control("installation"))")
        for table in ["loaded_plans", "stops", "compared_stops"] {
            try await fixture.run("DROP TABLE \(fixture.control(table))")
        }
        for index in ["steps_placed", "retentions_failing", "erasures_held"] {
            try await fixture.run("DROP INDEX \(fixture.control(index))")
        }
        try await fixture.run("ALTER TABLE \(fixture.control("ledger")) DROP COLUMN keys")
        try await fixture.run("ALTER TABLE \(fixture.control("erasures")) DROP COLUMN cause_code")
        try await fixture.run("DELETE FROM \(fixture.control("migrations")) WHERE version >= 11")
    }

    @Test(
        "OP-4 OPS-03 another state directory is refused beside a database with erasures, and no keys are made in it",
        arguments: SQLDialect.allCases, [false, true])
    func otherState(_ dialect: SQLDialect, _ isFormer: Bool) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            #expect(try await fixture.engine().erase(["1"]).map(\.word) == ["done"])
            if isFormer { try await forget(fixture) }
            let other = fixture.folder + "/other"
            #expect(await code { _ = try await open(fixture, state: other) } == "keys.not-here")
            #expect(!isThere(other))
            // One that is there, with keys of its own.
            _ = try KeyStore.prepared(in: .prepared(at: other), now: { .now })
            #expect(await code { _ = try await open(fixture, state: other) } == "keys.other")
            #expect(!isThere(other + "/ledger.jsonl"))
            #expect(
                await code { _ = try await ErasureEngine.ledgerAgreement(in: fixture.database, state: other) }
                    == (isFormer ? nil : "keys.other"))
            #expect(try await fixture.engine().erase(["2"]).map(\.word) == ["done"], "the right one goes on")
            #expect(try await fixture.count("people") == 3)
        }
    }

    @Test(
        "OP-4 OPS-03 a database without any erasure, as restored from before the first one, refuses other keys and makes none",
        arguments: SQLDialect.allCases)
    func beforeTheFirst(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            _ = try await fixture.engine()
            let belongs = "SELECT keys FROM \(fixture.control("installation"))"
            let before = try await fixture.rows(belongs)
            let other = fixture.folder + "/other"
            #expect(await code { _ = try await open(fixture, state: other) } == "keys.not-here")
            #expect(!isThere(other))
            _ = try KeyStore.prepared(in: .prepared(at: other), now: { .now })
            #expect(await code { _ = try await open(fixture, state: other) } == "keys.other")
            #expect(try await fixture.rows(belongs) == before && before.count == 1)
            #expect(try await fixture.engine().erase(["1"]).map(\.word) == ["done"], "the right one goes on")
        }
    }

    @Test("OP-4 OPS-03 a database without any erasure is adopted by other keys on purpose", arguments: SQLDialect.allCases)
    func adoptedBefore(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            _ = try await fixture.engine()
            let other = fixture.folder + "/other"
            let environment = EngineEnvironment.live(log: fixture.log.logger)
            _ = try await ErasureEngine.adoptKeys(in: fixture.database, state: other, environment: environment)
            #expect(try await open(fixture, state: other).erase(["1"]).map(\.word) == ["done"])
            #expect(await code { _ = try await fixture.engine() } == "keys.other")
        }
    }

    @Test("OP-4 OPS-03 a rotated signing key is still the same installation", arguments: SQLDialect.allCases)
    func rotated(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await engine.erase(["1"])
            _ = try engine.keys.rotated(now: { .now })
            #expect(try await fixture.engine().erase(["2"]).map(\.word) == ["done"])
            try await forget(fixture)
            #expect(try await fixture.engine().erase(["3"]).map(\.word) == ["done"], "known by its receipts")
        }
    }

    @Test("OP-4 OPS-03 a database with lost keys is adopted on purpose, and continues", arguments: SQLDialect.allCases)
    func adopted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, LedgerAgreementTests.tables) { fixture in
            _ = try await fixture.engine().erase(["1", "2"])
            let other = fixture.folder + "/other"
            let environment = EngineEnvironment.live(log: fixture.log.logger)
            let lost = try await ErasureEngine.adoptKeys(in: fixture.database, state: other, environment: environment)
            #expect(lost == 2)
            let engine = try await open(fixture, state: other)
            #expect(try await engine.erase(["3"]).map(\.word) == ["done"])
            let agreement = try #require(try await ErasureEngine.ledgerAgreement(in: fixture.database, state: other))
            #expect(agreement.file == 1 && agreement.database == 1, "the others are not taken for this installation's")
            #expect(await code { _ = try await fixture.engine() } == "keys.other")
            // The former keys turn up again.
            _ = try await ErasureEngine.adoptKeys(in: fixture.database, state: fixture.state, environment: environment)
            try await fixture.run("INSERT INTO people VALUES ('1', 'one@example.org')")
            #expect(try await fixture.engine().findReturned().doubtful == ["1"], "the database records the erasure")
            try await fixture.run("DELETE FROM \(fixture.control("erasures"))")
            #expect(try await fixture.engine().findReturned().certain == ["1"])
        }
    }

    @Test("OP-4 a database that refuses the control store leaves no keys behind")
    func refused() async throws {
        try await EngineFixture.with(.sqlite, LedgerAgreementTests.tables) { fixture in
            let plan = try await fixture.plan()
            try await fixture.run("CREATE TABLE farewell_audit (mine text)")
            #expect(await code { _ = try await fixture.engine(plan) } != nil)
            #expect(!isThere(fixture.state))
        }
    }
}
