// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The requested mails.
struct MailStore: AuthorityStoreTables {
    let dialect: SQLDialect

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
    func claim(now: Date, until: Date, besides domains: [[UInt8]]) -> StoreQuery<DueMail?> {
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
        let statement = SQLStatement(
            """
            UPDATE \(mail) SET next_at = $2, attempts = attempts + 1 WHERE id = \(next) \
            RETURNING id, sealed, wanted_at, attempts, user_id, domain_hash
            """, [.timestamp(now), .timestamp(until)] + domains.map { .bytes($0) })
        return StoreQuery(statement) { try $0.rows.first.map(DueMail.init) }
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

    func postpone(_ id: UUID, until: Date) -> SQLStatement {
        SQLStatement("UPDATE \(mail) SET next_at = $2 WHERE id = $1", [.uuid(id), .timestamp(until)])
    }

    /// Makes a claimed mail due again whose delivery was not attempted, or ended half-way. It keeps its place before
    /// those that were requested later.
    ///
    /// - Parameter claim: The number of the claim; a later claim of another server stays.
    func release(_ id: UUID, claim: Int64) -> SQLStatement {
        SQLStatement(
            "UPDATE \(mail) SET next_at = wanted_at, attempts = attempts - 1 WHERE id = $1 AND attempts = $2",
            [.uuid(id), .integer(claim)])
    }

    /// Notes the mail's user once its code is stored. The mail is deleted with the user.
    func prepare(_ id: UUID, of user: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(mail) SET user_id = $2 WHERE id = $1", [.uuid(id), .uuid(user)])
    }

    func delete(_ id: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE id = $1", [.uuid(id)])
    }

    /// The mails of a user.
    func forget(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE user_id = $1", [.uuid(user)])
    }

    /// The number of users who get a mail of one request if several want the same new address; anyone may make such a
    /// request.
    private static let mostWanters = 3

    /// The recipients, locked until the transaction ends: by user if known, otherwise by address. Several users may
    /// want the same new address: first those who know the requesting source, then the latest.
    ///
    /// - Parameter source: The source that requested the mail.
    func recipients(of request: MailRequest, from source: [[UInt8]]) -> StoreQuery<[MailRecipient]> {
        StoreQuery(selection(of: request, from: source)) { try $0.rows.map(MailRecipient.init) }
    }

    private func selection(of request: MailRequest, from source: [[UInt8]]) -> SQLStatement {
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

    /// Mails that no sender delivers, for instance because none is configured any longer.
    func prune(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE wanted_at < $1", [.timestamp(before)])
    }
}
