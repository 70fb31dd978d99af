// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Whether a column's value for a subject is in another subject's row as well: then it is not the subject's alone.
struct SharedNames: Sendable {
    let context: ErasureContext
    let column: ColumnName

    private var prepared: PreparedPlan { context.prepared }

    /// The names of a subject in a system, without those that also belong to another subject.
    static func own(
        _ names: [String], in system: SystemPlan, of subject: SealedSubject, _ context: ErasureContext
    ) async throws -> [String] {
        guard case .column(let column) = system.person else { return names }
        let strangers = SharedNames(context: context, column: column)
        var own: [String] = []
        for name in names where try await !strangers.isShared([name], besides: [subject]) { own.append(name) }
        return own
    }

    /// - Parameters:
    ///   - spellings: Its possible spellings.
    ///   - people: Subjects whose rows do not count: the subject, and those erased together who came before.
    func isShared(_ spellings: [String], besides people: [SealedSubject]) async throws -> Bool {
        guard let strangers = prepared.program.strangers(naming: column, inWays: spellings.count) else { return false }
        guard prepared.schema.dialect.hasArrays || people.count == 1 else {
            guard let person = people.last, try await isShared(spellings, besides: [person]) else { return false }
            return try await isShared(spellings, besidesEachOf: people, strangers)
        }
        let asked = question(strangers, spellings, people)
        return try await context.database.withConnection { connection in
            (try await connection.run(asked).scalar?.integer ?? 0) > 0
        }
    }

    /// SQLite, whose statements are about one subject each: whether more rows have the value than those of these
    /// subjects together. A row may belong to several subjects.
    private func isShared(
        _ spellings: [String], besidesEachOf people: [SealedSubject], _ strangers: RowStatement
    ) async throws -> Bool {
        guard let own = prepared.program.own(naming: column, inWays: spellings.count) else { return true }
        return try await context.database.readOnly { connection in
            var theirs: Set<[SQLValue]> = []
            var all = 0
            for person in people {
                let rows = try await connection.run(question(own, spellings, [person])).rows
                let others = try await connection.run(question(strangers, spellings, [person])).scalar?.integer ?? 0
                theirs.formUnion(rows)
                all = rows.count + Int(others)
            }
            return all > theirs.count
        }
    }

    /// Whether another subject's row has the same meaning in another spelling.
    ///
    /// - Parameters:
    ///   - pattern: The pattern for the database, which also finds other values.
    ///   - isMeant: Whether a found value has the same meaning.
    func isShared(
        like pattern: FilePattern, besides people: [SealedSubject], _ isMeant: (String) -> Bool
    ) async throws -> Bool {
        guard let strangers = prepared.program.strangers(likeNaming: column) else { return false }
        let groups = prepared.schema.dialect.hasArrays ? [people] : people.map { [$0] }
        // SQLite, whose statements are about one subject each: rows that are strange to every one of them.
        var common: Set<ForeignRow>?
        for group in groups {
            let asked = question(strangers, [pattern.strict, pattern.loose], group)
            let rows = try await context.database.run(asked).rows.map(ForeignRow.init)
            // Not all rows were read, so a shared name cannot be excluded.
            if rows.count >= RowProgram.mostStrangers { return true }
            common = common?.intersection(rows) ?? Set(rows)
        }
        return (common ?? []).contains { $0.name.map(isMeant) ?? false }
    }

    private func question(_ statement: RowStatement, _ spellings: [String], _ people: [SealedSubject]) -> SQLStatement {
        let values = RowValues(subjects: people.map(\.key.value))
        var question = statement.bound(values, dialect: prepared.schema.dialect)
        question.parameters += spellings.map(SQLValue.text)
        return question
    }
}
