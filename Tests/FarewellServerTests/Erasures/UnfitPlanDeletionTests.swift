// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("An operator deletes a user while the plan does not fit the database")
struct UnfitPlanDeletionTests {
    private static func run(_ statement: String, _ mount: ErasureMount) async throws {
        _ = try await mount.database.withConnection { try await $0.run(SQLStatement(statement)) }
    }

    @Test("OP-2 the deletion is refused for now with its own code, and the account stays whole until the plan fits")
    func refused() async throws {
        try await ErasureMount.with(isWorking: .off, subject: ColumnName(TableName("profiles"), "id")) { mount in
            let anna = try await mount.person()
            let engine = try #require(mount.server.erasures).engine
            let (path, operators) = ("/auth/v1/admin/users/\(anna.id)", ErasureMount.operatorToken)
            try await Self.run("ALTER TABLE profiles RENAME TO renamed", mount)
            #expect(try await !engine.refit())
            for body in [nil, #"{"should_soft_delete":true}"#] {
                let answer = try await mount.ask(.delete, path, token: operators, json: body)
                #expect(answer.status == 503 && answer.code == "erasure.plan-unfit", "\(answer)")
                #expect(answer.headers[.retryAfter] != nil && answer.text.contains("a hold would not be found"), "\(answer)")
            }
            let kept = try await mount.ask(.get, path, token: operators)
            #expect(kept.status == 200 && kept.json["email"] as? String == anna.email && kept.json["deleted_at"] == nil, "\(kept)")
            #expect(try await mount.isAccepted(anna.token))
            try await Self.run("ALTER TABLE renamed RENAME TO profiles", mount)
            #expect(try await engine.refit())
            #expect(try await mount.ask(.delete, path, token: operators).status == 200)
            #expect(try await mount.ask(.get, path, token: operators).status == 404)
        }
    }

    @Test("whatever in the database refuses a user's deletion, the answer is the contract's, and nothing has changed")
    func trigger() async throws {
        try await ErasureMount.with(isWorking: .off) { mount in
            let anna = try await mount.person()
            let (path, operators) = ("/auth/v1/admin/users/\(anna.id)", ErasureMount.operatorToken)
            try await Self.run(
                "CREATE TRIGGER kept BEFORE DELETE ON auth_users BEGIN SELECT RAISE(ABORT, 'kept by the app'); END", mount)
            let answer = try await mount.ask(.delete, path, token: operators)
            #expect(answer.status == 500 && answer.code == "unexpected_failure", "\(answer)")
            #expect(answer.json["msg"] as? String == "Database error deleting user", "\(answer)")
            #expect((answer.json["hint"] as? String)?.contains("refuses") == true, "no temporary condition: \(answer)")
            #expect(try await mount.isAccepted(anna.token))
        }
    }
}
