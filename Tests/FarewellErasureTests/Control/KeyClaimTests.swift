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
    private func open(_ house: EngineHouse, state: String) async throws -> ErasureEngine {
        try await ErasureEngine.open(
            house.database, plan: try await house.plan(), folder: house.folder, state: state,
            environment: .live(log: house.log.logger))
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// What a database of an earlier version does not remember.
    private func forget(_ house: EngineHouse) async throws {
        try await house.run("DROP TABLE \(house.control("installation"))")
        try await house.run("ALTER TABLE \(house.control("ledger")) DROP COLUMN keys")
        try await house.run("DELETE FROM \(house.control("migrations")) WHERE version = 11")
    }

    @Test(
        "OP-4 OPS-03 another state directory is refused beside a database with erasures, and no keys are made in it",
        arguments: SQLDialect.allCases, [false, true])
    func otherState(_ dialect: SQLDialect, _ isFormer: Bool) async throws {
        try await EngineHouse.with(dialect, LedgerAgreementTests.tables) { house in
            #expect(try await house.engine().erase(["1"]).map(\.word) == ["done"])
            if isFormer { try await forget(house) }
            let other = house.folder + "/other"
            #expect(await code { _ = try await open(house, state: other) } == "keys.not-here")
            #expect(!isThere(other))
            // One that is there, with keys of its own.
            _ = try KeyStore.prepared(in: .prepared(at: other), now: { .now })
            #expect(await code { _ = try await open(house, state: other) } == "keys.other")
            #expect(!isThere(other + "/ledger.jsonl"))
            #expect(
                await code { _ = try await ErasureEngine.ledgerAgreement(in: house.database, state: other) }
                    == (isFormer ? nil : "keys.other"))
            #expect(try await house.engine().erase(["2"]).map(\.word) == ["done"], "the right one goes on")
            #expect(try await house.count("people") == 3)
        }
    }

    @Test(
        "OP-4 OPS-03 a database without any erasure, as restored from before the first one, refuses other keys and makes none",
        arguments: SQLDialect.allCases)
    func beforeTheFirst(_ dialect: SQLDialect) async throws {
        try await EngineHouse.with(dialect, LedgerAgreementTests.tables) { house in
            _ = try await house.engine()
            let belongs = "SELECT keys FROM \(house.control("installation"))"
            let before = try await house.rows(belongs)
            let other = house.folder + "/other"
            #expect(await code { _ = try await open(house, state: other) } == "keys.not-here")
            #expect(!isThere(other))
            _ = try KeyStore.prepared(in: .prepared(at: other), now: { .now })
            #expect(await code { _ = try await open(house, state: other) } == "keys.other")
            #expect(try await house.rows(belongs) == before && before.count == 1)
            #expect(try await house.engine().erase(["1"]).map(\.word) == ["done"], "the right one goes on")
        }
    }

    @Test("OP-4 OPS-03 a database without any erasure is adopted by other keys on purpose", arguments: SQLDialect.allCases)
    func adoptedBefore(_ dialect: SQLDialect) async throws {
        try await EngineHouse.with(dialect, LedgerAgreementTests.tables) { house in
            _ = try await house.engine()
            let other = house.folder + "/other"
            let environment = EngineEnvironment.live(log: house.log.logger)
            _ = try await ErasureEngine.adoptKeys(in: house.database, state: other, environment: environment)
            #expect(try await open(house, state: other).erase(["1"]).map(\.word) == ["done"])
            #expect(await code { _ = try await house.engine() } == "keys.other")
        }
    }

    @Test("OP-4 OPS-03 a rotated signing key is still the same installation", arguments: SQLDialect.allCases)
    func rotated(_ dialect: SQLDialect) async throws {
        try await EngineHouse.with(dialect, LedgerAgreementTests.tables) { house in
            let engine = try await house.engine()
            _ = try await engine.erase(["1"])
            _ = try engine.keys.rotated(now: { .now })
            #expect(try await house.engine().erase(["2"]).map(\.word) == ["done"])
            try await forget(house)
            #expect(try await house.engine().erase(["3"]).map(\.word) == ["done"], "known by its receipts")
        }
    }

    @Test("OP-4 OPS-03 with its keys lost, a database is adopted on purpose, and goes on", arguments: SQLDialect.allCases)
    func adopted(_ dialect: SQLDialect) async throws {
        try await EngineHouse.with(dialect, LedgerAgreementTests.tables) { house in
            _ = try await house.engine().erase(["1", "2"])
            let other = house.folder + "/other"
            let environment = EngineEnvironment.live(log: house.log.logger)
            let lost = try await ErasureEngine.adoptKeys(in: house.database, state: other, environment: environment)
            #expect(lost == 2)
            let engine = try await open(house, state: other)
            #expect(try await engine.erase(["3"]).map(\.word) == ["done"])
            let agreement = try #require(try await ErasureEngine.ledgerAgreement(in: house.database, state: other))
            #expect(agreement.file == 1 && agreement.database == 1, "the others are not taken for this installation's")
            #expect(await code { _ = try await house.engine() } == "keys.other")
            // The former keys turn up again.
            _ = try await ErasureEngine.adoptKeys(in: house.database, state: house.state, environment: environment)
            try await house.run("INSERT INTO people VALUES ('1', 'one@example.org')")
            #expect(try await house.engine().findReturned().certain == ["1"])
        }
    }

    @Test("OP-4 a database that refuses the control store leaves no keys behind")
    func refused() async throws {
        try await EngineHouse.with(.sqlite, LedgerAgreementTests.tables) { house in
            let plan = try await house.plan()
            try await house.run("CREATE TABLE farewell_audit (mine text)")
            #expect(await code { _ = try await house.engine(plan) } != nil)
            #expect(!isThere(house.state))
        }
    }
}
