// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes
import Testing

@Suite("The checks of a token beyond its signature")
struct TokenClaimTests {
    @Test("a subject that is not a UUID gets 400, a missing one or an invalid session 403: the contract's statuses, one code")
    func statuses() async throws {
        try await ErasureMount.with(isWorking: .off) { mount in
            let anna = try await mount.person()
            let parts = anna.token.split(separator: ".")
            try #require(parts.count == 3)
            let payload = try #require(Base64URL.bytes(parts[1]))
            let good = try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: any Sendable])
            let changes: [(name: String, value: (any Sendable)?, status: Int, says: String)] = [
                ("role", "authenticated", 200, anna.id), ("sub", "anna", 400, "sub claim must be a UUID"),
                ("sub", " 0000000-0000-4000-8000-000000000000", 400, "sub claim must be a UUID"),
                ("sub", nil, 403, "missing sub claim"), ("session_id", "mine", 403, "session_id claim must be a UUID"),
            ]
            for (name, value, status, says) in changes {
                var claims: [String: Any] = good
                claims[name] = value
                let token = ErasureMount.token(claims, secret: ErasureMount.operatorSecret)
                let answer = try await mount.ask(.get, "/auth/v1/user", token: token)
                #expect(answer.status == status && answer.text.contains(says), "\(name): \(answer)")
                #expect(status == 200 || answer.code == "bad_jwt", "\(name): \(answer)")
            }
        }
    }
}
