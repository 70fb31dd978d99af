// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// A part of the authority with one responsibility. `SessionAuthority` composes the parts.
protocol AuthorityPart: Sendable {
    var context: AuthorityContext { get }
}

extension AuthorityPart {
    var settings: AuthoritySettings { context.settings }
    var database: any SQLDatabase { context.database }
    var store: AuthorityStore { context.store }
    var keys: AuthorityKeys { context.keys }
    var environment: EngineEnvironment { context.environment }
    var clock: StoreClock { context.clock }

    /// Runs `body` again when the database requests it: after a deadlock or a held lock. `body` is one transaction.
    func retrying<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        for attempt in 1...4 {
            do {
                return try await body()
            } catch let error as FarewellError where ["sql.40001", "sql.40P01", "sql.stale-plan"].contains(error.code) {
                let pause = RetryPolicy.statements.delay(afterFailures: attempt, chance: environment.chance())
                try await environment.sleep(pause)
            }
        }
        return try await body()
    }

    /// Does background work; an error is logged, and the next turn tries again.
    func attempt<Value: Sendable>(
        _ what: String, _ work: () async throws -> Value
    ) async -> Value? {
        do {
            return try await work()
        } catch {
            if !Task.isCancelled {
                environment.log.warning("\(what) failed.", metadata: ["error": "\(FarewellError.text(of: error))"])
            }
            return nil
        }
    }
}

extension RetryPolicy {
    /// Statements that other transactions were in the way of: from ten milliseconds to a second.
    fileprivate static let statements = RetryPolicy(first: .milliseconds(10), longest: .seconds(1))
}
