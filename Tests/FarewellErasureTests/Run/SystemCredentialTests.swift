// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellPlan
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("The revocation of the subject's Sign in with Apple tokens")
struct SystemCredentialTests {
    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        let users = TableName(parsing: fixture.dialect.authorityTable("users")) ?? TableName("users")
        let credentials = TableName(parsing: fixture.dialect.authorityTable("provider_credentials")) ?? TableName("credentials")
        let schema = try await Schema.read(from: fixture.database)
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users, "id")).plan.answeringAll(.owner)
        plan.systems = [
            SystemPlan(name: "apple", kind: "imagined", person: .column(ColumnName(credentials, "sealed_refresh_token")))
        ]
        return plan
    }

    private func engine(_ fixture: EngineFixture, _ apple: ImaginedSystem, state: String? = nil) async throws -> ErasureEngine {
        let clock = fixture.clock
        var environment = EngineEnvironment(
            now: { clock.now }, makeIdentifier: { UUID() },
            sleep: { if $0 >= .seconds(3) { try await ContinuousClock().sleep(for: $0) } }, owner: "here:1:a",
            isDead: { _ in false }, log: fixture.log.logger)
        environment.databaseNow = { clock.databaseReading }
        return try await ErasureEngine.open(
            fixture.database, plan: try await plan(fixture), folder: fixture.folder, state: state ?? fixture.state,
            connectors: ["apple": apple], environment: environment)
    }

    private func signedIn(_ fixture: AuthorityFixture, _ subject: String, code: String?) async throws -> String {
        let request = AuthorityFixture.identityToken("apple", ["sub": subject, "email": "\(subject)@example.org"], code: code)
        return try await fixture.authority.signIn(request).user.id.text
    }

    @Test(
        "SV-8 the system revokes the tokens that the sign-in keeps sealed, each with its client",
        arguments: SQLDialect.allCases)
    func revoked(_ dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let one = try await signedIn(fixture, "one", code: "one")
            let two = try await signedIn(fixture, "two", code: "two")
            let three = try await signedIn(fixture, "three", code: nil)
            let (own, other) = ("org.example.app apple-refresh-one", "org.example.app apple-refresh-two")
            let apple = ImaginedSystem([own: 1, other: 1])
            let engine = try await engine(fixture.fixture, apple)
            #expect(try await engine.preview(one).places.first { $0.place == "apple" }?.count == 1)
            let outcome = try #require(try await engine.erase([one]).first)
            #expect(outcome.receipt?.erased["apple"] == 1, "\(outcome)")
            #expect(await apple.entries == [other: 1])
            #expect(try await fixture.count("provider_credentials") == 1)
            let kept = try await fixture.fixture.everything().filter { "\($0)".contains("apple-refresh") }
            #expect(kept.isEmpty && !fixture.fixture.log.lines.contains { $0.contains("apple-refresh") })
            // A user without a code has nothing there to revoke.
            let without = try #require(try await engine.erase([three]).first)
            #expect(without.receipt?.isComplete == true, "\(without)")
            #expect(try await fixture.authority.providerCredential(of: try #require(UUID(uuidString: two)), provider: "apple") != nil)
        }
    }

    @Test("SV-8 tokens sealed elsewhere stop the erasure before any deletion", arguments: SQLDialect.allCases)
    func otherKeys(_ dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let one = try await signedIn(fixture, "one", code: "one")
            let apple = ImaginedSystem(["org.example.app apple-refresh-one": 1])
            let engine = try await engine(fixture.fixture, apple, state: fixture.fixture.folder + "/other")
            let outcome = try #require(try await engine.erase([one]).first)
            guard case .parked(_, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("state directory"), "\(cause)")
            #expect(try await fixture.count("users") == 1)
            #expect(try await fixture.count("provider_credentials") == 1)
            #expect(await apple.entries.count == 1)
        }
    }
}
