// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Resolves a subject's data before anything is changed.
package struct SubjectResolver: Sendable {
    let prepared: PreparedPlan
    /// The maximum number of keys or identifiers of one kind for one group of subjects.
    static let bound = 20_000

    package init(prepared: PreparedPlan) { self.prepared = prepared }

    private var graph: RowGraph { prepared.program.graph }

    /// The depth of the resolution.
    enum Depth {
        /// All data, with the number of rows in every place.
        case counted
        /// The same for an export, whose count of very many rows is faster.
        case exported
        /// Only the data that the run needs, if it erases rows or keeps them as they are. The run itself counts the
        /// erased rows.
        case recognised
        /// The same for an acceptance whose run follows at once, and reads the rest. Keys of rows are read only where
        /// rows that link to them could outlast them: elsewhere the database itself deletes those, and an account can
        /// have very many.
        case recognisedAtOnce
        /// The data that the run needs, with the size of the account where that is cheap to read.
        case sized

        /// Whether rows need not be counted in every place.
        var isQuick: Bool { self != .counted && self != .exported }
    }

    /// The key as the subject's table holds it.
    ///
    /// - Throws: `subject.malformed` if the text cannot be such a key; `subject.stands-in` if it is the plan's
    ///   replacement for erased subjects.
    package func key(_ text: String) throws -> SQLValue {
        guard let value = parsed(text) else {
            throw FarewellError(
                "subject.malformed", .yoursToFix,
                "The subject's key is not a value of \(prepared.plan.subject.table).\(graph.keyColumn.name), "
                    + "a column of type \(graph.keyColumn.type).",
                remedy: "Give the key as that column contains it.")
        }
        guard !standIns.contains(value) else {
            throw FarewellError(
                "subject.stands-in", .yoursToFix,
                "This subject replaces deleted ones: the plan writes its key to rows that referenced them (`set:`).",
                remedy: "Name another subject, or another value for `set:`.")
        }
        return value
    }

    /// The key of a stored row in the spelling of a request, whatever the database's spelling (`7.00` in `numeric(8,
    /// 2)`).
    func known(_ stored: SQLValue) -> SQLValue { stored.text.flatMap(parsed) ?? stored }

    private func parsed(_ text: String) -> SQLValue? {
        switch graph.keyColumn.kind {
        case .integer: Int64(text).map(SQLValue.integer)
        case let kind where graph.dialect.holdsUUIDs(kind): UUID(text: text).map(SQLValue.uuid)
        case .number: text.utf8.count > 2_002 ? nil : Self.shortest(text).map(SQLValue.numeric)
        default: meant(text).flatMap { $0.isEmpty || $0.utf8.count > 4_096 || $0.contains("\0") ? nil : .text($0) }
        }
    }

    /// The text without the spaces that pad a key of the type `character(n)`.
    private func meant(_ text: String) -> String? {
        guard graph.keyColumn.baseType == "bpchar" else { return text }
        return text.utf8.lastIndex { $0 != UInt8(ascii: " ") }.flatMap { String(text.utf8[...$0]) }
    }

    /// The shortest spelling of a decimal number. Each number has exactly one, so that its hash and its names are the
    /// same.
    private static func shortest(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: /([+-]?)0*([0-9]{1,1000})(?:\.([0-9]{1,1000}))?/) else { return nil }
        let fraction = match.3.flatMap { digits in digits.lastIndex { $0 != "0" }.map { digits[...$0] } } ?? ""
        let digits = String(match.2) + (fraction.isEmpty ? "" : ".\(fraction)")
        return match.1 == "-" && digits != "0" ? "-\(digits)" : digits
    }

    private var standIns: [SQLValue] { graph.standIns.compactMap(parsed) }

    /// The data of each subject. A subject without data has no entry.
    package func resolve(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> [SQLValue: SealedSubject]
    {
        try await resolve(keys, .counted, on: connection)
    }

    /// - Parameter preceding: PostgreSQL: the statements before it in the same round trip.
    func resolve(
        _ keys: [SQLValue], _ depth: Depth, after preceding: [SQLStatement] = [], on connection: any SQLConnection
    ) async throws -> [SQLValue: SealedSubject] {
        guard !graph.dialect.hasArrays else {
            do {
                return try await read(keys, depth, after: preceding, on: connection)
            } catch let error as FarewellError {
                throw explained(error, keys)
            }
        }
        var found: [SQLValue: SealedSubject] = [:]
        for key in keys {
            let stored = try await stored(key, on: connection)
            if let subject = try await read([stored], depth, on: connection)[stored] { found[key] = subject }
        }
        return found
    }

    /// PostgreSQL: the queries that usually are enough to recognise some subjects; for those that they do not find,
    /// `resolve` asks more.
    func firstQuestions(about keys: [SQLValue], _ depth: Depth) -> SubjectQuestions? {
        guard graph.dialect.hasArrays else { return nil }
        return SubjectQuestions(
            about: keys, in: prepared, isCounting: !isOnlyErasing, capturing: captures(depth, of: keys.count))
    }

    private func captures(_ depth: Depth, of subjects: Int) -> [CaptureQuery] {
        let program = prepared.program(for: subjects)
        return depth == .recognisedAtOnce ? program.neededCaptureQueries : program.captureQueries
    }

    /// Whether the subjects' keys are texts, and none of them is a UUID: then no key that is a UUID is among them.
    func hasOtherKeys(in database: any SQLDatabase) async throws -> Bool {
        guard graph.keyColumn.kind == .text || !graph.dialect.hasColumnTypes else { return false }
        let program = prepared.program
        return try await database.withConnection { connection in
            func keys(_ statement: RowStatement) async throws -> [SQLValue] {
                let bound = statement.bound(RowValues(subjects: []), dialect: graph.dialect)
                return try await connection.run(bound).rows.compactMap(\.first)
            }
            let sample = try await keys(program.sampledKeys).filter { !standIns.contains($0) }
            if sample.isEmpty || sample.contains(where: { $0.identifier != nil }) { return false }
            return try await keys(program.uuidKey).isEmpty
        }
    }

    /// The meaning of an error about the encoding of texts.
    private func explained(_ error: FarewellError, _ keys: [SQLValue]) -> FarewellError {
        let isForeign = keys.contains { key in key.text?.utf8.contains { $0 >= 128 } ?? false }
        if error.code == "sql.22P05", isForeign {
            return FarewellError(
                "subject.unknown", .yoursToFix,
                "The database's encoding has no form for the subject's key, so no subject has it.",
                remedy: "Check the key and the database.")
        }
        return error.naming(unreadableIn: "the subject's rows")
    }

    /// SQLite, which holds a UUID as text: the key as written in the subject's own row, whatever its spelling in the
    /// request.
    private func stored(_ key: SQLValue, on connection: any SQLConnection) async throws -> SQLValue {
        guard case .text(let text) = key, UUID(text: text) != nil else { return key }
        let found = try await connection.run(
            prepared.program.storedKey.bound(RowValues(subjects: [key]), dialect: graph.dialect))
        return found.scalar ?? key
    }

    /// PostgreSQL: the queries about some subjects before they are erased at once. If rows are only erased, subjects
    /// without a row of their own are not found.
    ///
    /// - Parameter isCapturing: Whether the keys for reading back are read as well.
    func recognition(of keys: [SQLValue], isCapturing: Bool) -> SubjectQuestions {
        let captures = isCapturing ? prepared.program(for: keys.count).neededCaptureQueries : []
        return SubjectQuestions(
            about: keys, in: prepared, isCounting: !isOnlyErasing, isSizing: isCapturing && isSized(keys),
            capturing: captures)
    }

    /// Whether the size of the account is read before its rows are erased: only if they are not counted anyway.
    private func isSized(_ keys: [SQLValue]) -> Bool {
        keys.count == 1 && isOnlyErasing && graph.dialect.takesSeveralWriters
    }

    private var isOnlyErasing: Bool { graph.isOnlyErasing }

    /// Subjects without a row of their own may still have rows elsewhere: these are counted whatever the depth.
    private func read(
        _ keys: [SQLValue], _ depth: Depth, after preceding: [SQLStatement] = [], on connection: any SQLConnection
    ) async throws -> [SQLValue: SealedSubject] {
        let isQuick = depth.isQuick && isOnlyErasing
        let counts = depth == .exported ? prepared.program(for: keys.count).exportCounts : nil
        var found = try await read(
            keys, depth, isCounted: !isQuick, by: counts, isSizing: isQuick && depth == .sized, after: preceding,
            on: connection)
        let missing = isQuick ? keys.filter { found[$0] == nil } : []
        if !missing.isEmpty {
            found.merge(try await read(missing, depth, isCounted: true, on: connection)) { first, _ in first }
        }
        for key in try await named(keys.filter { found[$0] == nil }, on: connection) {
            let data = try await read([key], depth, isCounted: true, knowing: [key], on: connection)
            found.merge(data) { first, _ in first }
        }
        return found
    }

    /// Those subjects without rows that other rows name by a key of the database for which the plan has no link. The
    /// database would empty such a key with the subject's own row; statements do that instead (`KeyEffects.standIns`).
    private func named(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> [SQLValue] {
        let effects = prepared.keyEffects(for: keys.count)
        guard !keys.isEmpty, effects.hasStandIns, let counts = effects.counts else { return [] }
        let values = RowValues(subjects: keys, limit: Self.bound)
        let answer = try await connection.run(counts.bound(values, dialect: graph.dialect))
        guard !effects.standIns(answer).isEmpty else { return [] }
        guard keys.count > 1 else { return keys }
        let half = keys.count / 2
        let first = try await named(Array(keys[..<half]), on: connection)
        return first + (try await named(Array(keys[half...]), on: connection))
    }

    private func read(
        _ keys: [SQLValue], _ depth: Depth, isCounted: Bool, by counts: RowStatement? = nil, isSizing: Bool = false,
        after preceding: [SQLStatement] = [], knowing present: Set<SQLValue> = [], on connection: any SQLConnection
    ) async throws -> [SQLValue: SealedSubject] {
        let questions = SubjectQuestions(
            about: keys, in: prepared, isCounting: isCounted, by: counts, isSizing: isSizing && isSized(keys),
            capturing: captures(depth, of: keys.count))
        let results = try await connection.pipeline(preceding + questions.statements)
        return questions.found(in: results.dropFirst(preceding.count), knowing: present)
    }
}
