// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("Tokens of ended sessions")
struct RevokedTokenTests {
    private func tickets(_ mount: ErasureMount) async throws -> Int64? {
        let count = SQLStatement("SELECT count(*) FROM farewell_tickets")
        return try await mount.database.withConnection { try await $0.run(count).scalar?.integer }
    }

    private func ask(_ token: String, _ key: String, _ mount: ErasureMount) async throws -> ErasureMount.Answer {
        try await mount.ask(.post, "/v1/erasures", token: token, ["Idempotency-Key": key, "Prefer": "wait=60"])
    }

    @Test("SC-4 a signed-out token opens no erasure; a token whose session the deletion ended gets the same answer again")
    func revoked() async throws {
        try await ErasureMount.with { mount in
            let person = try await mount.person()
            let stolen = try await mount.ask(
                .post, "/auth/v1/token?grant_type=password",
                json: #"{"email":"\#(person.email)","password":"\#(ErasureMount.password)"}"#)
            let thief = try #require(stolen.json["access_token"] as? String, "\(stolen)")
            let out = try await mount.ask(.post, "/auth/v1/logout?scope=others", token: person.token)
            #expect(out.status == 204, "\(out)")
            let first = try await ask(person.token, "k", mount)
            #expect(first.status == 200 && first.json["state"] as? String == "done", "\(first)")
            let handedOut = try await tickets(mount)

            for number in 0..<5 {
                let answer = try await ask(thief, "thief-\(number)", mount)
                #expect(answer.status == 401 && answer.json["ticket"] == nil, "\(answer)")
                for path in ["/functions/v1/delete-account", "/rest/v1/rpc/delete_auth_user"] {
                    #expect(try await mount.ask(.post, path, token: thief).status == 401, "\(path)")
                }
            }
            for _ in 0..<5 {
                let again = try await ask(person.token, "k", mount)
                #expect(again.status == 200 && again.json["ticket"] as? String == first.json["ticket"] as? String, "\(again)")
                #expect(again.json["id"] as? String == first.json["id"] as? String)
            }
            #expect(try await tickets(mount) == handedOut, "no ticket is added")
            // An app that lost its key still gets the result of the erasure.
            #expect(try await ask(person.token, "another", mount).status == 200)
        }
    }
}
