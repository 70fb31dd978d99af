// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("A request by an identifier of another form than the keys of the plan's subject")
struct IdentifierFormTests {
    private static let account = "0f8fad5b-d9cb-469f-a165-70867728950e"
    private static let digits = "0f8fad5bd9cb469fa16570867728950e"

    private static func with(
        _ dialect: SQLDialect, _ keys: [String], of type: String = "varchar(36)",
        _ use: (EngineFixture, ErasureRequests) async throws -> Void
    ) async throws {
        let rows = keys.map { "INSERT INTO people VALUES ('\($0)', 'a');" }.joined()
        try await EngineFixture.with(dialect, "CREATE TABLE people (id \(type) PRIMARY KEY, name text);" + rows) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            try await use(fixture, ErasureRequests(engine, rules: ServiceRules(secondLook: 0)))
        }
    }

    private static func code(of requests: ErasureRequests) async -> FarewellError.Code? {
        do {
            _ = try await requests.request(account)
            return nil
        } catch {
            return (error as? FarewellError)?.code
        }
    }

    @Test(
        "SY-1 no row with an account's identifier is not 'no data' where the keys have another form",
        arguments: SQLDialect.allCases, ["varchar(36)", "integer"])
    func others(dialect: SQLDialect, type: String) async throws {
        try await Self.with(dialect, ["1", "2"], of: type) { fixture, requests in
            #expect(await Self.code(of: requests) == "erasure.identifier-form")
            let people = try await fixture.count("people")
            let erasures = try await fixture.rows("SELECT count(*) FROM \(fixture.control("erasures"))")
            #expect(people == 2 && erasures == ["0"])
        }
    }

    @Test("SY-1 among keys of the same form, and in an empty table, no row is no data", arguments: SQLDialect.allCases)
    func alike(dialect: SQLDialect) async throws {
        let former = (1...200).map { "former-\($0)" }
        for keys in [
            [], ["7c9e6679-7425-40de-944b-e07fc1f90ae7"], ["7C9E6679-7425-40DE-944B-E07FC1F90AE7", "seed"],
            former + ["7c9e6679-7425-40de-944b-e07fc1f90ae7"],
        ] {
            try await Self.with(dialect, keys) { _, requests in
                #expect(await Self.code(of: requests) == "erasure.unknown")
            }
        }
    }

    @Test("SY-1 SQLite: a key of 32 digits without hyphens is the account's")
    func unhyphenated() async throws {
        try await Self.with(.sqlite, [Self.digits]) { fixture, requests in
            let asked = try await requests.request(Self.account)
            #expect(asked.erasure.state == .requested)
            let preview = try await fixture.engine(try await fixture.plan()).preview(Self.account)
            #expect(preview.places.map(\.count) == [1])
        }
        try await Self.with(.postgresql, [Self.digits]) { _, requests in
            #expect(await Self.code(of: requests) == "erasure.identifier-form")
        }
    }
}
