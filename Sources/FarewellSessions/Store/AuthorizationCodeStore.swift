// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The authorization codes that links of mails have given to apps.
struct AuthorizationCodeStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// Seconds for which a code is valid (contract, 1.7).
    static let life: TimeInterval = 300

    /// Keeps a code; affects no row if the user may not sign in.
    func keep(_ code: StoredAuthorizationCode) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(authorizationCodes) (code_hash, user_id, purpose, challenge_hash, issued_at) \
            SELECT $1, u.id, $3, $4, $5 FROM \(users) AS u \
            WHERE u.id = $2 AND \(UserStore.maySignIn("u", now: "$5"))
            """,
            [
                .bytes(code.codeHash), .uuid(code.user), .text(code.purpose.rawValue), .bytes(code.challengeHash),
                .timestamp(code.issuedAt),
            ])
    }

    /// A code that was not used yet, also one that has expired.
    func find(_ codeHash: [UInt8]) -> StoreQuery<StoredAuthorizationCode?> {
        StoreQuery(
            SQLStatement(
                "SELECT user_id, purpose, challenge_hash, issued_at FROM \(authorizationCodes) WHERE code_hash = $1",
                [.bytes(codeHash)])
        ) { result in
            guard let row = result.rows.first else { return nil }
            var reader = RowReader(row)
            let user = try reader.requiredIdentifier()
            guard let purpose = MailPurpose(rawValue: try reader.requiredText()) else { throw RowReader.unreadable }
            return StoredAuthorizationCode(
                codeHash: codeHash, user: user, purpose: purpose, challengeHash: try reader.requiredBytes(),
                issuedAt: try reader.requiredDate())
        }
    }

    /// Uses a code up; affects no row if another call has done so, or if it was forgotten.
    func spend(_ code: StoredAuthorizationCode) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(authorizationCodes) WHERE code_hash = $1 AND user_id = $2",
            [.bytes(code.codeHash), .uuid(code.user)])
    }

    /// The codes of a user.
    func forget(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(authorizationCodes) WHERE user_id = $1", [.uuid(user)])
    }

    /// The codes of a user that were issued at a time or earlier.
    func forget(of user: UUID, issuedUntil time: Date) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(authorizationCodes) WHERE user_id = $1 AND issued_at <= $2",
            [.uuid(user), .timestamp(time)])
    }

    func prune(before: Date) -> SQLStatement {
        few(of: authorizationCodes, key: "code_hash", where: "issued_at < $1", [.timestamp(before)])
    }
}
