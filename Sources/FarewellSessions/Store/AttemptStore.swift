// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The counters of attempts.
struct AttemptStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// Counts an attempt and answers the number within the window, this one included.
    ///
    /// - Parameters:
    ///   - condition: The attempt counts only if this is as `holds` says; otherwise there is no row.
    ///   - limit: The attempt counts only where this other counter is within its limit.
    func count(
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

    func prune(before: Date) -> SQLStatement {
        few(of: attempts, key: "account_hash", where: "began_at < $1", [.timestamp(before)])
    }
}
