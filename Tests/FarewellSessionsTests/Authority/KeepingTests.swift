// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("How long the session authority keeps things")
struct KeepingTests {
    @Test("Item 60: what is over is cleared away when the documentation says, and nothing earlier", arguments: SQLDialect.allCases)
    func cleared(dialect: SQLDialect) async throws {
        let lives: @Sendable (inout AuthoritySettings) -> Void = {
            $0.lifetime = SessionLifetime(inactivity: .seconds(30 * 86_400), absolute: .seconds(90 * 86_400))
        }
        try await AuthorityHouse.with(dialect, lives) { house in
            _ = try await house.authority.signUp(
                SignUpRequest(email: "anna@example.org", password: AuthorityHouse.password),
                source: CallerSource(network: "192.0.2.1"))
            try await house.authority.signOut(try await house.caller(try await house.signIn()), scope: .local)
            #expect(
                await refusal {
                    _ = try await house.authority.signIn(email: "anna@example.org", password: "wrong")
                } == "invalid_credentials")
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            #expect(try await house.delivered().count == 1)
            // Of each thing there is one: it is there just before its time and not after it.
            try await house.authority.sendCode(.recovery, to: "nobody@example.org")
            let ends: [(tables: [String], seconds: Double)] = [
                (["one_time_codes"], 600), (["password_attempts", "outgoing_mail"], 86_400),
                (["revocations"], 25 * 3_600), (["sessions"], 31 * 86_400),
                (["known_sources"], 180 * 86_400),
            ]
            let start = house.clock.now
            for (tables, seconds) in ends {
                house.clock.now = start + seconds - 2
                try await house.authority.prune()
                for table in tables { #expect(try await house.count(table) > 0, "\(table) is gone too early") }
                house.clock.now = start + seconds + 2
                try await house.authority.prune()
                for table in tables { #expect(try await house.count(table) == 0, "\(table) is kept too long") }
            }
            #expect(try await house.count("users") == 1, "people stay until they go")
        }
    }
}
