// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// That one of some sources is known to the account of an address.
struct KnownSourceCondition: Sendable {
    let sources: [[UInt8]]
    let address: String
    /// Sources that were last used before are forgotten.
    let since: Date

    init(_ sources: [[UInt8]], of address: String, since: Date) {
        self.sources = sources
        self.address = address
        self.since = since
    }
}

// MARK: Attempts

extension AuthorityStore {
    /// Counts an attempt and answers the number within the window, this one included.
    ///
    /// - Parameters:
    ///   - condition: The attempt counts only if this is as `holds` says; otherwise there is no row.
    ///   - limit: The attempt counts only where this other counter is within its limit.
    func attempt(
        _ counter: [UInt8], now: Date, windowBegan: Date, where condition: KnownSourceCondition? = nil,
        is holds: Bool = true, within limit: (counter: [UInt8], most: Int)? = nil
    ) -> SQLStatement {
        var values: [SQLValue] = [.bytes(counter), .timestamp(now), .timestamp(windowBegan)]
        var conditions: [String] = []
        if let condition {
            let (text, more) = text(of: condition, at: values.count + 1)
            conditions.append(holds ? text : "NOT \(text)")
            values += more
        }
        if let limit {
            let place = values.count + 1
            conditions.append(
                "EXISTS (SELECT 1 FROM \(attempts) AS own WHERE own.account_hash = $\(place) "
                    + "AND own.attempts <= $\(place + 1))")
            values += [.bytes(limit.counter), .integer(Int64(limit.most))]
        }
        let source =
            conditions.isEmpty
            ? "VALUES ($1, $2, 1)" : "SELECT $1, $2, 1 WHERE \(conditions.joined(separator: " AND "))"
        return SQLStatement(
            """
            INSERT INTO \(attempts) (account_hash, began_at, attempts) \(source) \
            ON CONFLICT (account_hash) DO UPDATE SET \
            attempts = CASE WHEN \(attempts).began_at < $3 THEN 1 ELSE \(attempts).attempts + 1 END, \
            began_at = CASE WHEN \(attempts).began_at < $3 THEN $2 ELSE \(attempts).began_at END RETURNING attempts
            """, values)
    }

    private func text(of condition: KnownSourceCondition, at place: Int) -> (String, [SQLValue]) {
        let address = AddressCondition("u.email", is: condition.address, at: place)
        let first = place + address.values.count
        let last = first + condition.sources.count
        let sources = (first..<last).map { "$\($0)" }.joined(separator: ", ")
        let text = """
            EXISTS (SELECT 1 FROM \(knownSources) AS k JOIN \(users) AS u ON u.id = k.user_id WHERE \(address.text) \
            AND \(isNoSSO) AND k.source_hash IN (\(sources)) AND k.used_at > $\(last))
            """
        return (text, address.values + condition.sources.map { .bytes($0) } + [.timestamp(condition.since)])
    }

    /// A right password is no attempt any longer: its source's counter restarts, and one attempt of all unknown sources
    /// is subtracted.
    func forgive(_ outcome: AttemptCount.Outcome) -> [SQLStatement] {
        let own = SQLStatement("DELETE FROM \(attempts) WHERE account_hash = $1", [.bytes(outcome.source)])
        return [own] + (outcome.unknownSources.map { [decrement($0)] } ?? [])
    }

    /// Subtracts one attempt.
    func decrement(_ counter: [UInt8]) -> SQLStatement {
        SQLStatement(
            "UPDATE \(attempts) SET attempts = attempts - 1 WHERE account_hash = $1 AND attempts > 0",
            [.bytes(counter)])
    }
}

// MARK: Known sources

extension AuthorityStore {
    /// Seconds for which a source is known after the last sign-in from it.
    static let knownSourceLife: TimeInterval = 180 * 86_400

    /// Notes that a user signed in from a source.
    func remember(_ source: SourceHashes, of user: UUID, now: Date) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        let trusted = source.trusted
        if !trusted.isEmpty {
            let rows = trusted.indices.map { "($1, $\($0 + 3), $2)" }.joined(separator: ", ")
            statements.append(
                SQLStatement(
                    """
                    INSERT INTO \(knownSources) (user_id, source_hash, used_at) VALUES \(rows) \
                    ON CONFLICT (user_id, source_hash) DO UPDATE SET used_at = excluded.used_at
                    """, [.uuid(user), .timestamp(now)] + trusted.map { .bytes($0) }))
        }
        if let fresh = source.freshDevice {
            let device = source.device ?? fresh
            statements += [
                SQLStatement(
                    "UPDATE \(knownSources) SET used_at = $2 WHERE user_id = $1 AND source_hash = $3",
                    [.uuid(user), .timestamp(now), .bytes(device)]),
                SQLStatement(
                    """
                    INSERT INTO \(knownSources) (user_id, source_hash, used_at) SELECT u.id, $3, $2 \
                    FROM \(users) AS u WHERE u.id = $1 AND NOT EXISTS \
                    (SELECT 1 FROM \(knownSources) AS k WHERE k.user_id = $1 AND k.source_hash = $4)
                    """, [.uuid(user), .timestamp(now), .bytes(fresh), .bytes(device)]),
            ]
        }
        return statements
    }

    /// Whether an account knows a source.
    func isKnown(_ source: [UInt8], to user: UUID) -> SQLStatement {
        SQLStatement(
            "SELECT count(*) FROM \(knownSources) WHERE user_id = $1 AND source_hash = $2",
            [.uuid(user), .bytes(source)])
    }

    /// After a change of password, sources that knew the former one are no longer trusted.
    func forgetSources(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(knownSources) WHERE user_id = $1", [.uuid(user)])
    }

    func pruneSources(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(knownSources) WHERE used_at < $1", [.timestamp(before)])
    }
}
