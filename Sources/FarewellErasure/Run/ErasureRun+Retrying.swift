// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension ErasureRun {
    /// Retries after errors that the database declares repeatable: deadlocks, serialization failures, held locks.
    /// If Farewell's own transactions blocked each other, the retry runs alone.
    func retrying<Value: Sendable>(
        _ erasures: [OpenedErasure], _ body: (_ turn: StepTransaction.Turn) async throws -> Value
    ) async throws -> Value {
        do {
            return try await body(.init(isAlone: context.isContended))
        } catch  where tries > 1 && (Self.isInTheWay(error) || mayHaveBeenOvertaken(error)) {
            context.note(error)
            return try await context.keepingLease(erasures) { try await retrying(after: error, body) }
        }
    }

    private func retrying<Value: Sendable>(
        after first: any Error, _ body: (_ turn: StepTransaction.Turn) async throws -> Value
    ) async throws -> Value {
        var last = first
        for attempt in 1..<tries {
            let pause = RetryPolicy.contention.delay(afterFailures: attempt, chance: context.environment.chance())
            try await context.environment.sleep(pause)
            do {
                let isAlone = Contention.isMeant(by: last) || context.isContended
                return try await body(.init(isAlone: isAlone, seconds: 60))
            } catch  where Self.isInTheWay(error) || mayHaveBeenOvertaken(error) {
                context.note(error)
                last = error
            }
        }
        throw last
    }

    static func isInTheWay(_ error: any Error) -> Bool {
        Contention.isMeant(by: error) || Contention.isHeld(by: error)
            || (error as? FarewellError)?.code == "sql.stale-plan"
    }

    /// Whether other programs may have written between counting and deleting, so that another try counts the present
    /// rows.
    private func mayHaveBeenOvertaken(_ error: any Error) -> Bool {
        context.database.dialect.takesSeveralWriters && (error as? FarewellError)?.code == GuardFailure.unpredicted
    }
}
