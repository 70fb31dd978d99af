// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
@testable import FarewellSessions
import Foundation
import HTTPTypes
import Testing

/// The operators' views, and how erasures are requested, made due and read.
extension ErasureMount {
    /// The secret that signs the operators' token.
    static let operatorSecret = "what signs the operators' token in tests"

    /// The operators' token, as `service.key` holds one.
    static let operatorToken = token(["iss": "farewell", "role": "service_role", "iat": 1_700_000_000], secret: operatorSecret)

    /// A token signed by a shared secret.
    static func token(_ claims: [String: Any], secret: String = "none of ours, none of ours, none!") -> String {
        let header = Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let body = (try? JSONSerialization.data(withJSONObject: claims)).map { Base64URL.text(Array($0)) } ?? ""
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(header).\(body)".utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return "\(header).\(body).\(Base64URL.text(Array(code)))"
    }

    /// The cookie of an operator's browser after a sign-in by the operators' token.
    func consoleCookie(_ name: String, role: Operator.Role) async throws -> String {
        let entry = try await server.authority.consoleEntry(byToken: Self.operatorToken).entry
        return try await server.authority.beginConsoleSession(name, role: role.rawValue, entry)
    }

    struct Asked: Sendable {
        let id: String
        let ticket: String
    }

    /// Requests an erasure of a user.
    func asked(by person: Person) async throws -> Asked {
        let answer = try await ask(.post, "/v1/erasures", token: person.token, ["Idempotency-Key": "k"])
        let id = try #require(answer.json["id"] as? String, "\(answer)")
        return Asked(id: id, ticket: try #require(answer.json["ticket"] as? String, "\(answer)"))
    }

    /// Makes an erasure due, as when its grace is over.
    func endGrace(of id: String) async throws {
        try await database.withConnection { connection in
            _ = try await connection.run(
                "UPDATE farewell_requests SET ready_at = '2000-01-01T00:00:00.000Z' WHERE erasure = $1", .text(id))
        }
    }

    func state(of id: String) async throws -> ErasureState? {
        try await requests.erasure(try #require(UUID(uuidString: id)))?.state
    }

    /// How many entries of the audit log are about this act of an operator.
    func operatorsActs(_ act: String) async throws -> Int64? {
        try await database.withConnection { connection in
            try await connection.run(
                "SELECT count(*) FROM farewell_audit WHERE entry LIKE '%\"\(act)\"%' AND entry LIKE '%\"operator:%'"
            ).scalar?.integer
        }
    }
}
