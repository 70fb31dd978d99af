// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Counts attempts in the database, where all servers count.
struct AttemptCounter: AuthorityPart {
    let context: AuthorityContext

    /// Counts an attempt at the account of an address, and looks further in the same round trip. All servers count in
    /// one place.
    ///
    /// - Throws: `over_request_rate_limit`.
    func countAttempt<Answer: Sendable>(
        _ rule: AttemptRule, of address: String, from source: SourceHashes, then queries: StoreQueries<Answer>
    ) async throws -> (outcome: AttemptCount.Outcome, answer: Answer) {
        var sent = StatementParts()
        let counted = sent.add(attemptCount(rule, of: address, from: source).queries)
        let asked = sent.add(queries)
        let statements = sent.statements
        let results = try await retrying {
            try await database.pipeline(statements)
        }
        let outcome = try counted.answer(in: results)
        guard outcome.isWithin else { throw AuthorityRefusal.overRequestRateLimit.error }
        return (outcome, try asked.answer(in: results))
    }

    func attemptCount(_ rule: AttemptRule, of address: String, from source: SourceHashes) -> AttemptCount {
        AttemptCount(rule, of: address, from: source, store: store.attempts, keys: keys, now: environment.now())
    }

    /// Counts an attempt of a signed-in caller at their own account. Each session has its own counter: a stolen one
    /// does not use up its owner's attempts.
    ///
    /// - Throws: `over_request_rate_limit`.
    func countAttempt(_ rule: AttemptRule, by caller: Caller) async throws {
        let number = try await retrying {
            try await database.withConnection { try await count(rule, by: caller, of: caller.user.id.text, on: $0) }
        }
        guard number <= rule.perSource else { throw AuthorityRefusal.overRequestRateLimit.error }
    }

    /// The number of attempts of a caller's session within the window, this one included.
    ///
    /// - Parameter account: The target of the attempts: the caller's own account, or an address that they want.
    func count(
        _ rule: AttemptRule, by caller: Caller, of account: String, on connection: any SQLConnection
    ) async throws -> Int64 {
        let counter = keys.counter(rule, of: account, from: keys.hash(ofSessionOf: caller))
        return try await count(rule, as: counter, on: connection)
    }

    /// The number of attempts within the window, this one included.
    func count(_ rule: AttemptRule, as counter: [UInt8], on connection: any SQLConnection) async throws -> Int64 {
        let now = environment.now()
        let attempt = store.attempts.count(counter, now: now, windowBegan: now.addingTimeInterval(-rule.window))
        guard let number = try await connection.run(attempt).scalar?.integer else { throw RowReader.unreadable }
        return number
    }
}
