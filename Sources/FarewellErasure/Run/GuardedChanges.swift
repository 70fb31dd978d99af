// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The statements of a transaction that changes subjects' rows. All executors send them in the same order, in as many
/// round trips as each of them needs.
struct GuardedChanges: Sendable {
    /// The parts of the transaction, in their order.
    enum Phase: CaseIterable, Comparable, Hashable, Sendable {
        /// Begins, sets limits, and takes the turn among Farewell's transactions.
        case turn
        /// Fails if another worker has the erasures.
        case lease
        /// Fails unless the schema is still the plan's.
        case schema
        /// Recognises the subjects and their sizes.
        case questions
        /// Begins to count changed rows.
        case countersBefore
        /// Changes the rows, with all counts that belong to the changes.
        case changes
        /// Checks the schema once more: no lock of a table keeps a trigger's function from being replaced while the
        /// changes wait for locks.
        case schemaAgain
        /// Checks keys and fires triggers where the database would otherwise do so only when the transaction ends.
        case deferredKeys
        /// Counts again: the difference is compared with the prediction.
        case countersAfter
        /// Looks for rows that are left.
        case readingBack
        /// Takes the right to append to the audit log: last, because other transactions that append then wait.
        case audit
    }

    let watch: ChangeGuard
    private var given: [Phase: [SQLStatement]] = [:]
    /// The phases that have not been sent.
    private var rest = Phase.allCases[...]

    init(_ prepared: PreparedPlan) { watch = ChangeGuard(prepared) }

    /// The statements of a phase. The counters' own phases need none from a caller.
    subscript(phase: Phase) -> [SQLStatement] {
        get {
            switch phase {
            case .countersBefore: watch.beginning
            case .countersAfter: watch.reading
            default: given[phase] ?? []
            }
        }
        set { given[phase] = newValue }
    }

    /// The phases that have not been sent, up to this one, for one round trip.
    mutating func next(through last: Phase) -> RoundTrip {
        let phases = rest.prefix { $0 <= last }
        rest = rest.dropFirst(phases.count)
        var sent = StatementParts()
        var parts: [Phase: StatementParts.Part] = [:]
        for phase in phases { parts[phase] = sent.add(self[phase]) }
        return RoundTrip(statements: sent.statements, parts: parts)
    }

    /// Compares the changes of a transaction with the prediction.
    ///
    /// - Parameters:
    ///   - sent: The round trip that reads the counters before the changes and after them.
    ///   - results: Its answers.
    /// - Returns: The changes.
    /// - Throws: `run.unpredicted` naming the tables in which other rows were changed than predicted.
    @discardableResult
    func require(
        _ evidence: ChangeEvidence, _ sent: RoundTrip, _ results: [SQLResult]
    ) throws -> [TableName: RowChanges] {
        try watch.require(
            evidence, from: sent.answers(of: .countersBefore, in: results).last,
            to: sent.answers(of: .countersAfter, in: results).last)
    }

    /// Phases that are sent together.
    struct RoundTrip: Sendable {
        let statements: [SQLStatement]
        fileprivate let parts: [Phase: StatementParts.Part]

        /// The answers to the statements of one phase.
        ///
        /// - Parameter results: The answers of this round trip.
        func answers(of phase: Phase, in results: [SQLResult]) -> [SQLResult] {
            parts[phase].map { Array($0.answers(in: results)) } ?? []
        }
    }
}
