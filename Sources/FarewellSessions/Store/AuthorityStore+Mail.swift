// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

// MARK: Requested mails

extension AuthorityStore {
    /// - Parameter domain: The hash of the recipient's domain.
    func insert(request: [UInt8], to domain: [UInt8], id: UUID, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(mail) (id, sealed, domain_hash, wanted_at, next_at, attempts) VALUES ($1, $2, $3, $4, $4, 0)
            """, [.uuid(id), .bytes(request), .bytes(domain), .timestamp(now)])
    }

    /// Claims the oldest due mail and returns it; no other server gets it before `until`.
    ///
    /// - Parameter domains: The hashes of the domains whose mails have to wait.
    func claimMail(now: Date, until: Date, besides domains: [[UInt8]]) -> SQLStatement {
        let skip = dialect.skippingLocked()
        func oldest(_ condition: String, by order: String) -> String {
            "(SELECT id FROM \(mail) WHERE \(condition)next_at <= $1 ORDER BY \(order) LIMIT 1\(skip))"
        }
        var next = oldest("", by: "next_at, id")
        if !domains.isEmpty {
            // Exactly the order of the index of the domains, so that no plan reads or sorts all mails that are due.
            let places = domains.indices.map { "$\($0 + 3)" }.joined(separator: ", ")
            let isFree = "domain_hash >= \(domain(besides: places)) AND domain_hash NOT IN (\(places)) AND "
            // A mail of an earlier version has no domain.
            let ways = ["domain_hash IS NULL AND ", isFree].map { oldest($0, by: "domain_hash, next_at") }
            next = "coalesce(\(ways.joined(separator: ", ")))"
        }
        return SQLStatement(
            """
            UPDATE \(mail) SET next_at = $2, attempts = attempts + 1 WHERE id = \(next) \
            RETURNING id, sealed, wanted_at, attempts, user_id, domain_hash
            """, [.timestamp(now), .timestamp(until)] + domains.map { .bytes($0) })
    }

    /// The domain with the oldest due mail, besides some. The index is read once for each domain instead of once for
    /// each mail: a full domain may have very many.
    private func domain(besides places: String) -> String {
        func first(_ column: String, _ condition: String) -> String {
            "(SELECT m.\(column) FROM \(mail) AS m WHERE m.domain_hash \(condition) "
                + "ORDER BY m.domain_hash, m.next_at LIMIT 1)"
        }
        return """
            (WITH RECURSIVE domains (hash) AS (SELECT \(first("domain_hash", "IS NOT NULL")) \
            UNION ALL SELECT \(first("domain_hash", "> e.hash")) FROM domains AS e WHERE e.hash IS NOT NULL) \
            SELECT d.hash FROM (SELECT e.hash, \(first("next_at", ">= e.hash")) AS first_at FROM domains AS e \
            WHERE e.hash IS NOT NULL AND e.hash NOT IN (\(places))) AS d \
            WHERE d.first_at <= $1 ORDER BY d.first_at, d.hash LIMIT 1)
            """
    }

    func postponeMail(_ id: UUID, until: Date) -> SQLStatement {
        SQLStatement("UPDATE \(mail) SET next_at = $2 WHERE id = $1", [.uuid(id), .timestamp(until)])
    }

    /// Makes a claimed mail due again whose delivery was not attempted, or ended half-way. It keeps its place before
    /// those that were requested later.
    ///
    /// - Parameter claim: The number of the claim; a later claim of another server stays.
    func releaseMail(_ id: UUID, claim: Int64) -> SQLStatement {
        SQLStatement(
            "UPDATE \(mail) SET next_at = wanted_at, attempts = attempts - 1 WHERE id = $1 AND attempts = $2",
            [.uuid(id), .integer(claim)])
    }

    /// Notes the mail's user once its code is stored. The mail is deleted with the user.
    func prepareMail(_ id: UUID, of user: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(mail) SET user_id = $2 WHERE id = $1", [.uuid(id), .uuid(user)])
    }

    func deleteMail(_ id: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE id = $1", [.uuid(id)])
    }

    /// The number of users who get a mail of one request if several want the same new address; anyone may make such a
    /// request.
    static let mostWanters = 3

    /// The recipients, locked until the transaction ends: by user if known, otherwise by address. Several users may
    /// want the same new address: first those who know the requesting source, then the latest.
    ///
    /// - Parameter source: The source that requested the mail.
    /// - Returns: `(id, whether they know the source)`.
    func recipients(of request: MailRequest, from source: [[UInt8]]) -> SQLStatement {
        let held = dialect.locked
        if let user = request.user {
            return SQLStatement("SELECT id FROM \(users) WHERE id = $1\(held)", [.uuid(user)])
        }
        let address = AddressCondition(addressColumn(request.purpose), is: request.address, at: 1)
        guard request.purpose == .emailChange else {
            return SQLStatement(
                "SELECT id FROM \(users) WHERE \(address.text) AND \(isNoSSO)\(address.one)\(held)", address.values)
        }
        let places = source.indices.map { "$\($0 + 1 + address.values.count)" }.joined(separator: ", ")
        let isKnown = """
            (SELECT count(*) FROM \(knownSources) AS k WHERE k.user_id = u.id AND k.source_hash IN (\(places)))
            """
        return SQLStatement(
            """
            SELECT u.id, \(isKnown) AS known FROM \(users) AS u WHERE \(address.text) AND \(isNoSSO) \
            ORDER BY known DESC, u.email_change_sent_at DESC NULLS LAST, u.id LIMIT \(Self.mostWanters)\(held)
            """, address.values + source.map { .bytes($0) })
    }

    /// The result of `recipients(of:from:)`.
    static func recipients(in result: SQLResult) throws -> [MailRecipient] { try result.rows.map(MailRecipient.init) }

    private func addressColumn(_ purpose: MailPurpose) -> String {
        purpose == .emailChange ? "email_change" : "email"
    }

    var isNoSSO: String { "is_sso_user = \(dialect.no)" }

    /// The time of a mail in the user object, which does not have it for every purpose.
    func noteMail(_ purpose: MailPurpose, of user: UUID, now: Date) -> [SQLStatement] {
        let column: String? =
            switch purpose {
            case .signUp: "confirmation_sent_at"
            case .recovery: "recovery_sent_at"
            case .emailChange: "email_change_sent_at"
            case .reauthentication: "reauthentication_sent_at"
            case .emailChanged, .erasureRequested: nil
            }
        guard let column else { return [] }
        return [SQLStatement("UPDATE \(users) SET \(column) = $2 WHERE id = $1", [.uuid(user), .timestamp(now)])]
    }
}

// MARK: Codes that were sent

extension AuthorityStore {
    /// The number of attempts that all unknown sources together have at the digits of another source's code.
    static let foreignAttempts = 3
    /// The number of attempts of the source that requested a code.
    static let ownAttempts = 5

    /// Keeps a code beside those that other sources requested.
    func keep(_ code: OneTimeCode, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(codes) (token_hash, user_id, purpose, code_hash, network_hash, device_hash, sent_at, \
            attempts, foreign_attempts) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0) ON CONFLICT DO NOTHING
            """,
            [
                .bytes(code.tokenHash), .uuid(code.user), .text(code.purpose.rawValue), .optional(code.codeHash),
                .bytes(code.networkHash), .optional(code.deviceHash), .timestamp(now),
            ])
    }

    /// Whether this code still counts.
    func isKept(_ code: OneTimeCode) -> SQLStatement {
        SQLStatement(
            "SELECT count(*) FROM \(codes) WHERE user_id = $1 AND purpose = $2 AND token_hash = $3",
            [.uuid(code.user), .text(code.purpose.rawValue), .bytes(code.tokenHash)])
    }

    /// Counts an attempt and answers whose codes it may have been, while they are young and this source has attempts
    /// left: `(user_id, code_hash, token_hash)`.
    func tryCode(
        _ purpose: MailPurpose, address: String, from source: SourceHashes, oldest: Date, knownSince: Date
    ) -> SQLStatement {
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
        return SQLStatement(
            """
            UPDATE \(codes) AS c SET attempts = attempts + CASE WHEN \(isOwn) THEN 1 ELSE 0 END, \
            foreign_attempts = foreign_attempts + CASE WHEN \(isOwn) OR \(isKnown) THEN 0 ELSE 1 END \
            WHERE c.purpose = $1 AND c.sent_at > $2 AND c.code_hash IS NOT NULL AND c.user_id IN (\(people)) \
            AND CASE WHEN \(isOwn) THEN attempts < \(Self.ownAttempts) \
            ELSE \(isKnown) OR foreign_attempts < \(Self.foreignAttempts) END RETURNING user_id, code_hash, token_hash
            """, values + address.values)
    }

    /// The same for a code that a session requested, and that no other may use.
    func tryCode(_ purpose: MailPurpose, of user: UUID, from session: [UInt8], oldest: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(codes) SET attempts = attempts + 1 WHERE purpose = $1 AND sent_at > $2 AND user_id = $3 \
            AND network_hash = $4 AND attempts < \(Self.ownAttempts) RETURNING user_id, code_hash, token_hash
            """, [.text(purpose.rawValue), .timestamp(oldest), .uuid(user), .bytes(session)])
    }

    /// The result of `tryCode`: the codes with digits.
    static func tried(in result: SQLResult?) throws -> [TriedCode] { try result?.rows.compactMap(TriedCode.init) ?? [] }

    /// The owner of the code that was sent with a token, while it is valid.
    func code(withToken hash: [UInt8], _ purpose: MailPurpose, oldest: Date) -> SQLStatement {
        SQLStatement(
            "SELECT user_id FROM \(codes) WHERE token_hash = $1 AND purpose = $2 AND sent_at > $3",
            [.bytes(hash), .text(purpose.rawValue), .timestamp(oldest)])
    }

    /// Holds the user's row, uses a code up, and reads the account.
    func spending(_ token: [UInt8], of user: UUID, _ purpose: MailPurpose, now: Date) -> [SQLStatement] {
        [hold(user, now: now), spend(token, of: user, purpose), account(user, session: nil)]
    }

    /// The results of `spending`: the user; `nil` if another call has used the code up, or the user is gone.
    static func spender(in results: [SQLResult]) throws -> User? {
        guard results.count == 3 else { throw RowReader.unreadable }
        return results[1].affected > 0 ? try AccountRow(results[2])?.user : nil
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

    /// After a change of address or password no earlier code counts.
    func forgetCodes(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(codes) WHERE user_id = $1", [.uuid(user)])
    }

    func pruneCodes(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(codes) WHERE sent_at < $1", [.timestamp(before)])
    }

    /// Mails that no sender delivers, for instance because none is configured any longer.
    func pruneMail(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE wanted_at < $1", [.timestamp(before)])
    }
}
