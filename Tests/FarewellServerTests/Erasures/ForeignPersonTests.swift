// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import FarewellVerifier
import Foundation
import HTTPTypes
import Testing

@Suite("Users of another issuer: sign-in time, the app's next step, and token lifetime")
struct ForeignPersonTests {
    private static let secret = String(repeating: "s", count: 40)
    private static let rules = ServiceRules(secondLook: 3_720, concurrency: 1, poll: 1)
    private static var now: Int { Int(Date(timeIntervalSinceNow: 0).timeIntervalSince1970) }

    private static func with(_ use: @Sendable (ErasureMount) async throws -> Void) async throws {
        let issuer = try TrustedIssuer.supabase("https://abc.example", keys: .secret(secret))
        try await ErasureMount.with(rules, foreign: [issuer]) { try await use($0) }
    }

    private static func token(_ subject: String, life: Int = 3_600, _ more: [String: Any] = [:]) -> String {
        let claims: [String: Any] = [
            "iss": "https://abc.example/auth/v1", "sub": subject, "aud": "authenticated", "role": "authenticated", "iat": now,
            "exp": now + life,
        ]
        return ErasureMount.token(claims.merging(more) { $1 }, secret: secret)
    }

    private static func amr(_ methods: (String, Int)...) -> [String: Any] {
        ["amr": methods.map { ["method": $0.0, "timestamp": now - $0.1] }]
    }

    @Test("SB-2 item 8: the error about an old sign-in states the app's next step in its own words, and nothing is deleted")
    func stale() async throws {
        try await Self.with { mount in
            let anna = try await mount.person()
            let old = Self.token(anna.id, Self.amr(("password", 4_000), ("token_refresh", 5)))
            let silent = Self.token(anna.id)
            for (token, says, hint) in [
                (old, "sign in again", "within 300 seconds"), (silent, "does not contain the time", "erasures.recent-sign-in"),
            ] {
                for name in ["delete-account", "delete-user"] {
                    let refused = try await mount.ask(.post, "/functions/v1/\(name)", token: token)
                    let error = refused.json["error"] as? [String: String]
                    #expect(refused.status == 403 && error?["code"] == "erasure.sign-in-stale", "\(refused)")
                    #expect(error?["message"]?.contains("Nothing was deleted") == true && error?["message"]?.contains(says) == true)
                    #expect(error?["hint"]?.contains(hint) == true, "\(refused)")
                    #expect(refused.headers[.errorCode] == "erasure.sign-in-stale")
                }
                let account = try await mount.ask(.delete, "/me/account", token: token)
                #expect(account.status == 403 && account.headers[.errorCode] == "erasure.sign-in-stale", "\(account)")
                let asked = try await mount.ask(.post, "/v1/erasures", token: token, ["Idempotency-Key": "k"])
                #expect(asked.status == 403 && asked.code == "erasure.sign-in-stale", "\(asked)")
            }
            #expect(try await !mount.rows(of: anna).isEmpty)
        }
    }

    @Test("SB-2 an anonymous user cannot sign in again, and needs no recent sign-in")
    func anonymous() async throws {
        try await Self.with { mount in
            let anna = try await mount.person()
            let claims = Self.amr(("anonymous", 90_000)).merging(["is_anonymous": true]) { $1 }
            let done = try await mount.ask(.post, "/functions/v1/delete-account", token: Self.token(anna.id, claims))
            #expect(done.status == 200, "\(done)")
            #expect(try await mount.rows(of: anna).isEmpty)
        }
    }

    @Test("SB-2 SC-1 the error about a project key, in any form, differs from that about a bad user token")
    func projectKeys() async throws {
        try await Self.with { mount in
            let anna = try await mount.person()
            let fresh = Self.amr(("password", 5))
            let keys =
                ["anon", "service_role"].flatMap { role in
                    let key: [String: Any] = ["iss": "supabase", "ref": "abc", "role": role, "iat": 1, "exp": 4_000_000_000]
                    return [
                        ErasureMount.token(key, secret: Self.secret), Self.token(anna.id, fresh.merging(["role": role]) { $1 }),
                    ]
                } + ["sb_publishable_abc", "sb_secret_abc"]
            for key in keys {
                let refused = try await mount.ask(.post, "/functions/v1/delete-account", token: key, ["apikey": key])
                let error = refused.json["error"] as? [String: String]
                #expect(refused.status == 401 && error?["code"] == "token.project-key", "\(refused)")
                #expect(error?["message"]?.contains("not a user's token") == true)
            }
            let forged = try await mount.ask(
                .post, "/functions/v1/delete-account",
                token: ErasureMount.token(["iss": "https://abc.example/auth/v1", "sub": anna.id], secret: "another, of some length"))
            #expect((forged.json["error"] as? [String: String])?["code"] == "token.signature", "\(forged)")
            #expect(try await !mount.rows(of: anna).isEmpty)
        }
    }

    @Test(
        "SB-5 the second look comes after the request's token expires, and at the latest before the subject's names are deleted",
        arguments: [(600, 3_720), (7_200, 7_320), (604_800, 255_600)])
    func secondLook(_ life: Int, _ after: Int) async throws {
        try await Self.with { mount in
            let anna = try await mount.person()
            let token = Self.token(anna.id, life: life, Self.amr(("password", 5)))
            let before = Self.now
            #expect(try await mount.ask(.post, "/functions/v1/delete-user", token: token).status == 200)
            let looks = try await mount.database.withConnection { connection in
                try await connection.run("SELECT unixepoch(look_at) FROM farewell_keepsakes").rows.map { $0.first?.integer ?? 0 }
            }
            #expect(looks.count == 1)
            for look in looks { #expect((Int64(before + after - 2)...Int64(Self.now + after + 2)).contains(look), "\(look)") }
        }
    }

    @Test("BX-4 SB-2 a deletion repeated with the same token and no key returns the ended erasure; a newer token begins another")
    func repeated() async throws {
        try await Self.with { mount in
            let anna = try await mount.person()
            let token = Self.token(anna.id, Self.amr(("password", 5)))
            func erase(_ token: String) async throws -> SQLValue {
                let answer = try await mount.ask(.post, "/functions/v1/delete-account", token: token)
                #expect(answer.status == 200, "\(answer)")
                let newest = "SELECT id FROM farewell_erasures ORDER BY requested_at DESC, rowid DESC LIMIT 1"
                return try #require(try await mount.database.withConnection { try await $0.run(SQLStatement(newest)).scalar })
            }
            func writeAgain() async throws {
                try await mount.database.withConnection { connection in
                    _ = try await connection.run("INSERT INTO auth_users (id) VALUES ($1)", .text(anna.id))
                    _ = try await connection.run("INSERT INTO notes (user_id, body) VALUES ($1, 'c')", .text(anna.id))
                }
            }
            let first = try await erase(token)
            #expect(try await mount.rows(of: anna).isEmpty)
            #expect(try await erase(token) == first, "entries of the feed of revocations are left, and are no new data")
            // With a token from before, the app may write something yet: the second look of the same erasure is for that.
            try await writeAgain()
            #expect(try await erase(token) == first)
            #expect(try await mount.ask(.post, "/functions/v1/delete-user", token: token).status == 200)
            let count = "SELECT count(*) FROM farewell_erasures"
            #expect(try await mount.database.withConnection { try await $0.run(SQLStatement(count)) }.scalar == .integer(1))
            // As if the erasure had ended before the next sign-in.
            let earlier = "UPDATE farewell_erasures SET finished_at = '2020-01-01T00:00:00.000000Z'"
            _ = try await mount.database.withConnection { try await $0.run(SQLStatement(earlier)) }
            #expect(try await erase(token) != first)
            #expect(try await mount.rows(of: anna).isEmpty)
        }
    }
}
