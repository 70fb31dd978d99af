// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Tells whether a subject's key belongs to another person, after the subject's own row was deleted.
///
/// User names, numbers of SQLite rows and, after a restore, numbers of a sequence are given again. Rows under such a
/// key are the new person's: no sweep, no later try and no second look may delete them.
struct KeyHolder: Sendable {
    let prepared: PreparedPlan

    private var program: RowProgram { prepared.program(for: 1) }

    /// Whether such a key is given once only.
    func isUnique(_ key: SQLValue) -> Bool {
        if program.graph.keyColumn.kind == .uuid { return true }
        return key.text.map(Self.isGivenOnce) ?? false
    }

    /// Whether the key can be another row's once the subject's own row is deleted. A row that stays keeps its key.
    func isGivenAgain(_ key: SQLValue) -> Bool {
        prepared.plan[prepared.plan.subject.table]?.rule.erasesRows == true && !isUnique(key)
    }

    /// Whether a text is an identifier that a program drew or counted up (a UUID, a Firebase user, a ULID, a cuid, an
    /// ObjectId) and no name: long, and changing between letters and digits again and again.
    static func isGivenOnce(_ text: String) -> Bool {
        if UUID(text: text) != nil { return true }
        let bytes = Array(text.utf8)
        let isDigit = bytes.map { $0.isASCIIDigit }
        let isPlain = bytes.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7F && $0 != UInt8(ascii: "@") }
        return bytes.count >= 20 && isPlain && zip(isDigit, isDigit.dropFirst()).count { $0 != $1 } >= 4
    }

    /// Requires that no other person has the key, if these steps of the erasure have deleted the subject's own row.
    ///
    /// - Throws: `subject.key-given-again`; errors of the database.
    func require(_ subject: SealedSubject, after steps: [StepRecord], on connection: any SQLConnection) async throws {
        let place = program.graph.nodes[program.graph.root].place
        guard steps.contains(where: { $0.counts[place] ?? 0 > 0 }), try await isOther(subject, on: connection) else {
            return
        }
        throw FarewellError(
            "subject.key-given-again", .yoursToFix,
            "The subject's own row was deleted, and another row of \(place) has the key now, without an identifier "
                + "that both have in common. Nothing under this key is touched.",
            remedy: "If it is another person's, give that row another key; if it is the same person's, delete it. Then "
                + "release the erasure.")
    }

    /// Whether the subject's table has a row under a key that may be given more than once: another person's, or that of
    /// the same person who has signed up again.
    func isTaken(_ subject: SealedSubject, on connection: any SQLConnection) async throws -> Bool {
        let key = subject.key.value
        guard isGivenAgain(key) else { return false }
        let values = RowValues(subjects: [key], limit: SubjectResolver.bound)
        return try await !connection.run(program.presence.bound(values, dialect: program.graph.dialect)).rows.isEmpty
    }

    /// Whether the subject's table has a row under the key that may be another person's.
    ///
    /// It is the same person's if it has one of the subject's identifiers, or if such a key is given once only. A row
    /// without identifiers proves nothing, and counts as another person's.
    func isOther(_ subject: SealedSubject, on connection: any SQLConnection) async throws -> Bool {
        guard try await isTaken(subject, on: connection) else { return false }
        let plan = prepared.plan
        let values = RowValues(subjects: [subject.key.value], limit: SubjectResolver.bound)
        let dialect = program.graph.dialect
        let reading = IdentifierReading(plan: plan, schema: prepared.schema, implied: prepared.implied)
        var names: [String] = []
        for (columns, statement) in zip(program.identifierColumns, program.identifiers)
        where columns.first?.table == plan.subject.table {
            let rows = try await connection.run(statement.bound(values, dialect: dialect)).rows
            names += rows.flatMap { reading.names(in: Array($0.dropFirst()), of: columns).identifiers }
        }
        let known = Set(subject.identifiers.map(ExactText.init))
        return !names.contains { known.contains(ExactText($0)) }
    }
}
