// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Finds out what there is of a person, before anything is touched.
package struct SubjectResolver: Sendable {
    let prepared: PreparedPlan
    /// How many keys or identifiers of one kind are remembered for one group of people.
    static let bound = 20_000

    package init(prepared: PreparedPlan) { self.prepared = prepared }

    private var graph: RowGraph { prepared.program.graph }

    /// How much is found out about a person.
    enum Depth {
        /// All there is, with the number of rows in every place.
        case counted
        /// Where rows are only erased: what the run must know; it counts them itself when it erases them.
        case recognised
    }

    /// The key as the subject's table holds it.
    ///
    /// - Throws: `subject.malformed` when the text cannot be such a key.
    package func key(_ text: String) throws -> SQLValue {
        let kind = graph.keyColumn.kind
        let value: SQLValue? =
            switch kind {
            case .integer: Int64(text).map(SQLValue.integer)
            case .uuid where graph.dialect == .postgresql: UUID(text: text).map(SQLValue.uuid)
            case .number: text.wholeMatch(of: /[+-]?[0-9]{1,1000}(\.[0-9]{1,1000})?/) == nil ? nil : .numeric(text)
            default: text.isEmpty || text.utf8.count > 4_096 || text.contains("\0") ? nil : .text(text)
            }
        guard let value else {
            throw FarewellError(
                "subject.malformed", .yoursToFix,
                "The subject's key is not a value of \(prepared.plan.subject.table).\(graph.keyColumn.name), "
                    + "which holds \(graph.keyColumn.type).",
                remedy: "Give the key as it stands in that column.")
        }
        return value
    }

    /// What there is of each subject. A subject of whom nothing is found has no entry.
    package func resolve(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> [SQLValue: SealedSubject]
    {
        try await resolve(keys, .counted, on: connection)
    }

    /// - Parameter preceding: PostgreSQL: what goes before in the same round trip.
    func resolve(
        _ keys: [SQLValue], _ depth: Depth, after preceding: [SQLStatement] = [], on connection: any SQLConnection
    ) async throws -> [SQLValue: SealedSubject] {
        guard graph.dialect == .sqlite else { return try await read(keys, depth, after: preceding, on: connection) }
        var found: [SQLValue: SealedSubject] = [:]
        for key in keys {
            let stored = try await stored(key, on: connection)
            if let subject = try await read([stored], depth, on: connection)[stored] { found[key] = subject }
        }
        return found
    }

    /// SQLite, which holds a UUID as text: the key as it stands in the subject's own row, whatever the letter case
    /// in which it was asked for.
    private func stored(_ key: SQLValue, on connection: any SQLConnection) async throws -> SQLValue {
        guard case .text(let text) = key, UUID(text: text) != nil else { return key }
        let found = try await connection.run(
            prepared.program.storedKey.bound(RowValues(subjects: [key]), dialect: graph.dialect))
        return found.scalar ?? key
    }

    /// PostgreSQL: what there is of some subjects, in one round trip with other statements. Where rows are only erased,
    /// those whose own row is gone are not found.
    ///
    /// - Parameter isCapturing: Whether the keys that reading back asks for are read as well.
    func recognise(
        _ keys: [SQLValue], isCapturing: Bool, after preceding: [SQLStatement], then following: [SQLStatement],
        on connection: any SQLConnection
    ) async throws -> (found: [SQLValue: SealedSubject], following: [SQLResult]) {
        try await read(
            keys, isCounted: !isOnlyErasing,
            capturing: isCapturing ? prepared.program(for: keys.count).neededCaptures : [], after: preceding,
            then: following, on: connection)
    }

    private var isOnlyErasing: Bool { graph.nodes.allSatisfy { $0.rule == .erase } }

    /// Those whose own row is gone may have left rows elsewhere: they are counted whatever the depth.
    private func read(
        _ keys: [SQLValue], _ depth: Depth, after preceding: [SQLStatement] = [], on connection: any SQLConnection
    ) async throws -> [SQLValue: SealedSubject] {
        let isQuick = depth == .recognised && isOnlyErasing
        var found = try await read(keys, isCounted: !isQuick, after: preceding, on: connection).found
        let missing = isQuick ? keys.filter { found[$0] == nil } : []
        if !missing.isEmpty {
            found.merge(try await read(missing, isCounted: true, on: connection).found) { first, _ in first }
        }
        return found
    }

    private func read(
        _ keys: [SQLValue], isCounted: Bool, capturing: [RowProgram.Capture]? = nil,
        after preceding: [SQLStatement] = [],
        then following: [SQLStatement] = [], on connection: any SQLConnection
    ) async throws -> (found: [SQLValue: SealedSubject], following: [SQLResult]) {
        let program = prepared.program(for: keys.count)
        let values = RowValues(subjects: keys, limit: Self.bound)
        let starts = program.retentionStarts.sorted { $0.key < $1.key }
        let files = program.files.sorted { $0.key < $1.key }
        let captures = capturing ?? program.captures
        let statements =
            [isCounted ? program.counts : program.presence] + captures.map(\.statement) + program.identifiers
            + starts.map(\.value)
            + files.map(\.value) + program.retained.map(\.statement)
        let bound = statements.map { $0.bound(values, dialect: graph.dialect) }
        var results = try await connection.pipeline(preceding + bound + following).dropFirst(preceding.count)
        let people = SubjectReadings(
            keys: keys, isAlone: program.graph.isAboutOne, areKnown: prepared.plan.knowsPeopleElsewhere)
        if isCounted { people.countRows(results.removeFirst()) } else { people.recognise(results.removeFirst()) }
        for capture in captures {
            people.capture(capture, in: graph.nodes[capture.node].table, results.removeFirst(), bound: Self.bound)
        }
        for _ in program.identifiers { people.identify(results.removeFirst()) }
        for (node, _) in starts { people.start(graph.nodes[node], results.removeFirst()) }
        for (folder, _) in files { people.name(filesOf: folder, results.removeFirst()) }
        for rows in program.retained { people.retain(graph.nodes[rows.node], results.removeFirst()) }
        return (people.found, Array(results))
    }
}

extension SQLValue {
    /// The day of a date as either database has it. SQLite has no dates of its own: there they are text that begins
    /// with the day, or seconds or milliseconds since 1970.
    fileprivate var day: CalendarDay? {
        if let date { return CalendarDay(date) }
        if let text, let day = CalendarDay(parsing: String(text.prefix(10))) { return day }
        let seconds: Double? =
            switch self {
            case .integer(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        guard let seconds, seconds.isFinite else { return nil }
        return CalendarDay(Date(timeIntervalSince1970: abs(seconds) >= 1e11 ? seconds / 1_000 : seconds))
    }
}

/// Sorts what a group's statements answered by person.
private final class SubjectReadings {
    private let keys: [SQLValue]
    private let places: [String: SQLValue]
    private let isAlone: Bool
    private var readings: [SQLValue: SealedSubject] = [:]
    private var isThere: Set<SQLValue> = []

    init(keys: [SQLValue], isAlone: Bool, areKnown: Bool) {
        self.keys = keys
        if areKnown { isThere = Set(keys) }
        self.isAlone = isAlone
        self.places = Dictionary(keys.map { ($0.text ?? "", $0) }) { first, _ in first }
        for key in keys {
            readings[key] = SealedSubject(
                key: StoredValue(key), identifiers: [], captured: [:], isCaptureBounded: false, retainedUntil: [:],
                files: [:], incarnation: "", counts: [:])
        }
    }

    /// Those of whom there is anything.
    var found: [SQLValue: SealedSubject] { readings.filter { isThere.contains($0.key) } }

    func recognise(_ result: SQLResult) {
        for row in result.rows {
            if let key = key(row[0]) { isThere.insert(key) }
        }
    }

    func countRows(_ result: SQLResult) {
        for row in result.rows {
            guard let place = row[0].text, let key = key(row[1]), let rows = row[2].integer, rows > 0 else { continue }
            readings[key]?.counts[place, default: 0] += Int(rows)
            isThere.insert(key)
        }
    }

    func capture(_ capture: RowProgram.Capture, in table: SchemaTable, _ result: SQLResult, bound: Int) {
        let composite = capture.keys.map { ($0, table.keyName($0)) }
        for row in result.rows {
            guard let key = key(row[0]) else { continue }
            for (place, column) in capture.columns.enumerated() where !row[place + 1].isNull {
                let name = "\(ColumnName(table.name, table.columns[column].name))"
                readings[key]?.captured[name, default: []].append(StoredValue(row[place + 1]))
            }
            for (columns, name) in composite {
                let values = columns.map { row[capture.position(of: $0)] }
                // A key that is not whole is nobody's.
                guard !values.contains(where: \.isNull) else { continue }
                if readings[key]?.capturedKeys == nil { readings[key]?.capturedKeys = [:] }
                readings[key]?.capturedKeys?[name, default: []].append(values.map { StoredValue($0) })
            }
        }
        guard result.rows.count >= bound else { return }
        for key in keys { readings[key]?.isCaptureBounded = true }
    }

    func identify(_ result: SQLResult) {
        for row in result.rows {
            guard let key = key(row[0]) else { continue }
            readings[key]?.identifiers += row.dropFirst().compactMap(\.text).filter { !$0.isEmpty }
        }
    }

    func start(_ node: RowGraph.Node, _ result: SQLResult) {
        guard case .retain(let retention) = node.rule else { return }
        for row in result.rows {
            guard let key = key(row[0]), let day = row[1].day else { continue }
            readings[key]?.retainedUntil[node.place] = day.adding(retention.period)
        }
    }

    func name(filesOf folder: String, _ result: SQLResult) {
        for row in result.rows {
            guard let key = key(row[0]), let path = row[1].text, !path.isEmpty else { continue }
            let name = row.dropFirst().compactMap(\.text).joined(separator: " ")
            readings[key]?.files[folder, default: []].append(name)
        }
    }

    func retain(_ node: RowGraph.Node, _ result: SQLResult) {
        for row in result.rows {
            guard let key = key(row[0]) else { continue }
            let marks = row.dropFirst().map { $0.isNull ? nil : StoredValue($0) }
            var retained = readings[key]?.retained ?? [:]
            retained[node.place, default: []].append(marks)
            readings[key]?.retained = retained
        }
    }

    private func key(_ subject: SQLValue) -> SQLValue? {
        isAlone ? keys.first : subject.text.flatMap { places[$0] }
    }
}
