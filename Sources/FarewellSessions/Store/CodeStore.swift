// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The codes that were sent by mail.
struct CodeStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// The number of attempts that all unknown sources together have at the digits of another source's code.
    private static let foreignAttempts = 3
    /// The number of attempts of the source that requested a code.
    private static let ownAttempts = 5

    /// Keeps a code beside those that other sources requested.
    func keep(_ code: OneTimeCode, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(codes) (token_hash, user_id, purpose, code_hash, network_hash, device_hash, sent_at, \
            challenge_hash, attempts, foreign_attempts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0) \
            ON CONFLICT DO NOTHING
            """,
            [
                .bytes(code.tokenHash), .uuid(code.user), .text(code.purpose.rawValue), .optional(code.codeHash),
                .bytes(code.networkHash), .optional(code.deviceHash), .timestamp(now), .optional(code.challengeHash),
            ])
    }

    /// Whether this code still counts.
    func isKept(_ code: OneTimeCode) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                "SELECT count(*) FROM \(codes) WHERE user_id = $1 AND purpose = $2 AND token_hash = $3",
                [.uuid(code.user), .text(code.purpose.rawValue), .bytes(code.tokenHash)])
        ) { $0.scalar?.integer == 1 }
    }

    /// Counts an attempt and answers the codes with digits that it may have meant, while they are young and this source
    /// has attempts left.
    func attempt(
        _ purpose: MailPurpose, address: String, from source: SourceHashes, oldest: Date, knownSince: Date
    ) -> StoreQuery<[TriedCode]> {
        var values: [SQLValue] = [
            .text(purpose.rawValue), .timestamp(oldest), .timestamp(knownSince), .bytes(source.network),
        ]
        var isOwn = "c.network_hash = $4"
        var hashes = "$4"
        if let device = source.device {
            values.append(.bytes(device))
            isOwn = "(c.network_hash = $4 OR c.device_hash = $5)"
            hashes = "$4, $5"
        }
        let isKnown = """
            EXISTS (SELECT 1 FROM \(knownSources) AS k WHERE k.user_id = c.user_id AND k.source_hash IN (\(hashes)) \
            AND k.used_at > $3)
            """
        let address = AddressCondition(addressColumn(purpose), is: address, at: values.count + 1)
        let people = "SELECT id FROM \(users) WHERE \(address.text) AND \(isNoSSO) AND deleted_at IS NULL"
        let statement = SQLStatement(
            """
            UPDATE \(codes) AS c SET attempts = attempts + CASE WHEN \(isOwn) THEN 1 ELSE 0 END, \
            foreign_attempts = foreign_attempts + CASE WHEN \(isOwn) OR \(isKnown) THEN 0 ELSE 1 END \
            WHERE c.purpose = $1 AND c.sent_at > $2 AND c.code_hash IS NOT NULL AND c.user_id IN (\(people)) \
            AND CASE WHEN \(isOwn) THEN attempts < \(Self.ownAttempts) \
            ELSE \(isKnown) OR foreign_attempts < \(Self.foreignAttempts) END RETURNING user_id, code_hash, token_hash
            """, values + address.values)
        return StoreQuery(statement, Self.tried)
    }

    /// The same for a code that a session requested, and that no other may use.
    func attempt(
        _ purpose: MailPurpose, of user: UUID, from session: [UInt8], oldest: Date
    ) -> StoreQuery<[TriedCode]> {
        let statement = SQLStatement(
            """
            UPDATE \(codes) SET attempts = attempts + 1 WHERE purpose = $1 AND sent_at > $2 AND user_id = $3 \
            AND network_hash = $4 AND attempts < \(Self.ownAttempts) RETURNING user_id, code_hash, token_hash
            """, [.text(purpose.rawValue), .timestamp(oldest), .uuid(user), .bytes(session)])
        return StoreQuery(statement, Self.tried)
    }

    @Sendable private static func tried(_ result: SQLResult) throws -> [TriedCode] {
        try result.rows.compactMap(TriedCode.init)
    }

    /// The code that was sent with a token, while it is valid.
    func find(token hash: [UInt8], _ purpose: MailPurpose, oldest: Date) -> StoreQuery<SentCode?> {
        StoreQuery(
            SQLStatement(
                """
                SELECT user_id, challenge_hash FROM \(codes) WHERE token_hash = $1 AND purpose = $2 AND sent_at > $3
                """, [.bytes(hash), .text(purpose.rawValue), .timestamp(oldest)])
        ) { result in
            guard let row = result.rows.first else { return nil }
            var reader = RowReader(row)
            return SentCode(user: try reader.requiredIdentifier(), token: hash, challenge: try reader.bytes())
        }
    }

    /// Uses a code up, and with it the user's other codes of its purpose; affects no row if another call has done so.
    func spend(_ token: [UInt8], of user: UUID, _ purpose: MailPurpose) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(codes) WHERE user_id = $1 AND purpose = $2 AND EXISTS \
            (SELECT 1 FROM \(codes) AS used WHERE used.token_hash = $3 AND used.user_id = $1 AND used.purpose = $2)
            """,
            [.uuid(user), .text(purpose.rawValue), .bytes(token)])
    }

    /// After a change of address or password no earlier code counts, nor an authorization code that one has given.
    func forget(of user: UUID) -> [SQLStatement] {
        [
            SQLStatement("DELETE FROM \(codes) WHERE user_id = $1", [.uuid(user)]),
            AuthorizationCodeStore(dialect: dialect).forget(of: user),
        ]
    }

    func prune(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(codes) WHERE sent_at < $1", [.timestamp(before)])
    }
}
