// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("The retention times of the session authority")
struct KeepingTests {
    @Test("Item 60: expired data is cleared at the documented time, and nothing earlier", arguments: SQLDialect.allCases)
    func cleared(dialect: SQLDialect) async throws {
        let lives: @Sendable (inout AuthoritySettings) -> Void = {
            $0.lifetime = SessionLifetime(inactivity: .seconds(30 * 86_400), absolute: .seconds(90 * 86_400))
        }
        try await AuthorityFixture.with(dialect, lives) { fixture in
            _ = try await fixture.authority.signUp(
                SignUpRequest(email: "anna@example.org", password: AuthorityFixture.password),
                source: CallerSource(network: "192.0.2.1"))
            try await fixture.authority.signOut(try await fixture.caller(try await fixture.signIn()), scope: .local)
            #expect(
                await refusal {
                    _ = try await fixture.authority.signIn(email: "anna@example.org", password: "wrong")
                } == "invalid_credentials")
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            #expect(try await fixture.delivered().count == 1)
            // Of each thing there is one: it is there just before its time and not after it.
            try await fixture.authority.sendCode(.recovery, to: "nobody@example.org")
            let ends: [(tables: [String], seconds: Double)] = [
                (["one_time_codes"], 600), (["password_attempts", "outgoing_mail"], 86_400),
                (["revocations"], 25 * 3_600), (["sessions"], 31 * 86_400),
                (["known_sources"], 180 * 86_400),
            ]
            let start = fixture.clock.now
            for (tables, seconds) in ends {
                fixture.clock.now = start + seconds - 2
                try await fixture.authority.prune()
                for table in tables { #expect(try await fixture.count(table) > 0, "\(table) is gone too early") }
                fixture.clock.now = start + seconds + 2
                try await fixture.authority.prune()
                for table in tables { #expect(try await fixture.count(table) == 0, "\(table) is kept too long") }
            }
            #expect(try await fixture.count("users") == 1, "people stay until they go")
        }
    }
}
