// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// The queries about some subjects, and the answers about each.
struct SubjectQuestions: Sendable {
    let statements: [SQLStatement]
    private let keys: [SQLValue]
    private let prepared: PreparedPlan
    private let isCounting: Bool
    private let isSizing: Bool
    private let captures: [CaptureQuery]

    /// - Parameters:
    ///   - isCounting: Whether rows are counted in every place. Otherwise only the subjects' own rows are read, and of
    ///     the others only those that stay as they are counted, because nothing counts them later.
    ///   - counts: The statement that counts rows in every place; `nil` for the program's own.
    ///   - isSizing: Whether the rows that one subject's links reach directly are counted. This is cheap, and shows
    ///     whether an account is too large for one transaction.
    ///   - captures: The queries for the keys of rows to which others link.
    init(
        about keys: [SQLValue], in prepared: PreparedPlan, isCounting: Bool, by counts: RowStatement? = nil,
        isSizing: Bool = false, capturing captures: [CaptureQuery]
    ) {
        let program = prepared.program(for: keys.count)
        let counting =
            isCounting
            ? [counts ?? program.counts] : [program.presence] + [program.stayingCounts].compactMap(\.self)
        let all =
            counting + captures.map(\.statement) + program.identifiers
            + Self.starts(program).map(\.value) + Self.files(program).map(\.value) + program.retained.map(\.statement)
            + (isSizing ? [program.readBack] : [])
        let values = RowValues(subjects: keys, limit: SubjectResolver.bound)
        statements = all.map { $0.bound(values, dialect: program.graph.dialect) }
        self.keys = keys
        self.prepared = prepared
        self.isCounting = isCounting
        self.isSizing = isSizing
        self.captures = captures
    }

    /// - Parameters:
    ///   - answers: The statements' results; more may follow.
    ///   - present: The subjects that have data, whatever the answers.
    func found(
        in answers: some Sequence<SQLResult>, knowing present: Set<SQLValue> = []
    ) -> [SQLValue: SealedSubject] {
        let program = prepared.program(for: keys.count)
        let people = SubjectReadings(
            keys: keys, isAlone: program.graph.isAboutOne,
            present: prepared.plan.knowsPeopleElsewhere ? Set(keys) : present)
        let graph = program.graph
        var results = Array(answers)[...]
        if isCounting {
            people.countRows(results.removeFirst())
        } else {
            people.recognise(results.removeFirst())
            if program.stayingCounts != nil { people.countStaying(results.removeFirst()) }
        }
        for query in captures {
            for (capture, answer) in zip(query.captures, query.answers(in: results.removeFirst())) {
                let table = graph.nodes[capture.node].table
                people.capture(capture, in: table, answer, bound: SubjectResolver.bound)
            }
        }
        let reading = IdentifierReading(plan: prepared.plan, schema: prepared.schema, implied: prepared.implied)
        for columns in program.identifierColumns { people.identify(results.removeFirst(), reading, columns) }
        for (node, _) in Self.starts(program) { people.start(graph.nodes[node], results.removeFirst()) }
        for (folder, _) in Self.files(program) { people.name(filesOf: folder, results.removeFirst()) }
        for rows in program.retained { people.retain(graph.nodes[rows.node], results.removeFirst()) }
        if isSizing { people.size(results.removeFirst()) }
        people.markUnnamed(Self.lost(prepared.plan, graph), without: graph.nodes[graph.root].place)
        return people.found
    }

    /// The folders, and the steps of systems, whose names stand in the subject's own row or in rows that the database
    /// deletes with it.
    private static func lost(_ plan: Plan, _ graph: RowGraph) -> [String] {
        let tables = Set(graph.nodes.filter { graph.isCascaded($0.index) }.map(\.table.name) + [plan.subject.table])
        let folders = plan.folders.filter { folder in
            if case .column(let column) = folder.location { tables.contains(column.table) } else { false }
        }
        let systems = plan.systems.filter { system in
            if case .column(let column) = system.person { tables.contains(column.table) } else { false }
        }
        return folders.map(\.name) + systems.map(\.step)
    }

    private static func starts(_ program: RowProgram) -> [(key: Int, value: RowStatement)] {
        program.retentionStarts.sorted { $0.key < $1.key }
    }

    private static func files(_ program: RowProgram) -> [(key: String, value: RowStatement)] {
        program.files.sorted { $0.key < $1.key }
    }
}

/// Sorts the answers of a group's statements by subject.
private final class SubjectReadings {
    private let keys: [SQLValue]
    private let places: [ExactText: SQLValue]
    private let isAlone: Bool
    private var readings: [SQLValue: SealedSubject] = [:]
    private var isThere: Set<SQLValue> = []
    /// The subjects whose own rows were recognised.
    private var hasRow: Set<SQLValue> = []

    init(keys: [SQLValue], isAlone: Bool, present: Set<SQLValue>) {
        self.keys = keys
        isThere = present
        self.isAlone = isAlone
        self.places = Dictionary(keys.map { (ExactText($0.text ?? ""), $0) }) { first, _ in first }
        for key in keys {
            readings[key] = SealedSubject(
                key: StoredValue(key), identifiers: [], captured: [:], isCaptureBounded: false, retainedUntil: [:],
                files: [:], incarnation: "", counts: [:])
        }
    }

    /// The subjects with any data.
    var found: [SQLValue: SealedSubject] { readings.filter { isThere.contains($0.key) } }

    func recognise(_ result: SQLResult) {
        for row in result.rows {
            guard let key = key(row[0]) else { continue }
            isThere.insert(key)
            hasRow.insert(key)
        }
    }

    /// Without the row that names the subject elsewhere, no name is an unknown name, and not the name of nothing.
    ///
    /// - Parameters:
    ///   - places: Where the names of the subject's own row, and of those deleted with it, lead.
    ///   - root: The place of the subject's own row.
    func markUnnamed(_ places: [String], without root: String) {
        for key in keys where !hasRow.contains(key) && readings[key]?.counts[root] ?? 0 == 0 {
            let unnamed = places.filter { readings[key]?.files[$0]?.isEmpty ?? true }
            if !unnamed.isEmpty { readings[key]?.unnamed = unnamed }
        }
    }

    /// Such rows alone make no one present: the others of such a subject are counted in every place.
    func countStaying(_ result: SQLResult) {
        let present = isThere
        countRows(result)
        isThere = present
    }

    func countRows(_ result: SQLResult) {
        for row in result.rows {
            guard let place = row[0].text, let key = key(row[1]), let rows = row[2].integer, rows > 0 else { continue }
            readings[key]?.counts[place, default: 0] += Int(rows)
            isThere.insert(key)
        }
    }

    /// - Parameter result: Of reading back before anything is deleted.
    func size(_ result: SQLResult) {
        guard let key = keys.first else { return }
        let counts = ReadBack.leftovers([result])
        readings[key]?.directRows = counts.values.reduce(0, +)
        readings[key]?.directCounts = counts
    }

    func capture(_ capture: RowProgram.Capture, in table: SchemaTable, _ result: SQLResult, bound: Int) {
        let composite = capture.keys.map { ($0, table.keyName($0)) }
        let names = capture.columns.map { "\(ColumnName(table.name, table.columns[$0].name))" }
        for row in result.rows {
            guard let key = key(row[0]) else { continue }
            for (place, name) in names.enumerated() where !row[place + 1].isNull {
                readings[key]?.captured[name, default: []].append(StoredValue(row[place + 1]))
            }
            for (columns, name) in composite {
                let values = columns.map { row[capture.position(of: $0)] }
                // An incomplete key belongs to no subject.
                guard !values.contains(where: \.isNull) else { continue }
                if readings[key]?.capturedKeys == nil { readings[key]?.capturedKeys = [:] }
                readings[key]?.capturedKeys?[name, default: []].append(values.map { StoredValue($0) })
            }
        }
        guard result.rows.count >= bound else { return }
        for key in keys { readings[key]?.isCaptureBounded = true }
    }

    func identify(_ result: SQLResult, _ reading: IdentifierReading, _ columns: [ColumnName]) {
        for row in result.rows {
            guard let key = key(row[0]) else { continue }
            let names = reading.names(in: Array(row.dropFirst()), of: columns)
            readings[key]?.identifiers += names.identifiers
            // One more than are searched for shows that there are more.
            let known = readings[key]?.others ?? []
            let room = ImpliedIdentifiers.most + 1 - known.count
            guard !names.others.isEmpty, room > 0 else { continue }
            readings[key]?.others = (known + names.others.prefix(room)).exactlyDistinct
        }
    }

    func start(_ node: RowGraph.Node, _ result: SQLResult) {
        guard let retention = node.rule.retention else { return }
        for row in result.rows {
            let days = row.dropFirst().dropLast().map(\.day)
            // If one cannot be read or is missing, the period counts from the day of the erasure, which keeps the rows
            // longest.
            guard let key = key(row[0]), row.last?.integer == 0, !days.contains(nil),
                let latest = days.compactMap(\.self).max()
            else { continue }
            readings[key]?.retainedUntil[node.place] = latest.adding(retention.period)
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
        isAlone ? keys.first : subject.text.flatMap { places[ExactText($0)] }
    }
}
