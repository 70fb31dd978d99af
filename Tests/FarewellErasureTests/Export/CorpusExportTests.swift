// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import PlanCorpus
import TestFixtures
import Testing

/// The record of the corpus says whose each row is and whom each cell names; it judges the files of an export. A drafted
/// plan leaves out the columns that hold secrets, which are named here once more. No plan here says `export: yes`.
@Suite("Exports of the corpus")
struct CorpusExportTests {
    private static let secrets: Set<String> = [
        "password", "encrypted_password", "remember_token", "token", "secret", "sessionToken", "visitor_token",
    ]

    @Test(
        "EX-1 EX-2 an export has the subject's rows, others' values that name the subject, and no more; previews and receipts agree",
        arguments: CorpusFixture.cases)
    func exported(_ which: CorpusFixture.Case) async throws {
        try await CorpusFixture.with(which) { fixture in
            let live = try await fixture.live
            let plan = fixture.author.completed(fixture.author.answered(try fixture.draft(live)), live)
            let engine = try await fixture.engines.engine(plan)
            let (person, record) = (1, fixture.record)
            let output = fixture.engines.folder + "/export"
            let manifest = try await engine.export(record.key(person), to: output)
            try await Self.compareCounts(of: record.key(person), engine)
            let preview = try await engine.preview(record.key(person))
            let previewed = preview.places.filter { $0.count > 0 && plan.systems.isEmpty }.map { "\($0.place) \($0.count)" }
            let counted = manifest.tables.filter { $0.rows > 0 }.map {
                $0.areOthers ? "\($0.place.replacing(" (link only)", with: "")) \($0.rows)" : "\($0.place) \($0.rows)"
            }
            #expect(counted.sorted() == previewed.sorted())
            for table in which.schema.tables {
                let name = which.schema.tableName(table.name, which.dialect)
                let found = manifest.tables.filter { $0.place.hasPrefix("\(name)") && Self.isOne($0, of: name) }
                for one in found where !one.areOthers {
                    let columns = table.columns.map(\.name)
                    let kept = Set(columns).subtracting(Self.secrets)
                    #expect(Set(one.columns) == kept, "\(which.testDescription), \(table.name): \(one.columns)")
                    let omitted = one.omitted.map(\.about).filter { !one.columns.contains($0) }
                    #expect(omitted == columns.filter(Self.secrets.contains), "\(which.testDescription), \(table.name): \(omitted)")
                }
                let own = try found.filter { !$0.areOthers }.flatMap { try Self.rows($0, in: output) }
                let others = try found.filter(\.areOthers).flatMap { try Self.rows($0, in: output) }
                let rows = record.rows[table.name] ?? []
                let cells = CorpusExportCells(record: record, table: table, person: person)
                let named = Set(found.filter { !$0.areOthers }.flatMap(\.omitted).map(\.about))
                Self.expect(own, cells, rows.filter { $0.owners.contains(person) }, omitted: named, which)
                let naming = rows.filter { !$0.owners.contains(person) }.compactMap { row in
                    Self.names(of: person, in: row, table, record)
                }
                #expect(Self.written(others) == naming.sorted(), "\(which.testDescription), \(table.name), others")
            }
            guard plan.systems.isEmpty else { return }
            // The receipt counts the exported rows.
            let receipt = try #require(try await engine.erase([record.key(person)]).first?.receipt)
            var told: [String: Int] = [:]
            for place in receipt.steps.flatMap(\.places) {
                told[place.place, default: 0] += place.erased + place.anonymised + place.retained
            }
            var exported: [String: Int] = [:]
            for table in manifest.tables where table.rows > 0 {
                exported[table.place.replacing(" (link only)", with: ""), default: 0] += table.rows
            }
            #expect(told == exported, "\(which.testDescription)")
        }
    }

    /// PostgreSQL: an export counts tables that are known as small in another way.
    private static func compareCounts(of key: String, _ engine: ErasureEngine) async throws {
        guard engine.database.dialect == .postgresql else { return }
        let prepared = engine.prepared
        let graph = try RowGraph(plan: prepared.plan, schema: prepared.schema.ofSmallTables).aboutOne
        var writer = RowProgramWriter(graph: graph)
        let plain = writer.counts()
        writer.readsSmallTablesWhole = true
        let values = RowValues(subjects: [try SubjectResolver(prepared: prepared).key(key)], limit: SubjectResolver.bound)
        let statements = [plain, writer.counts()].map { $0.bound(values, dialect: .postgresql) }
        let answers = try await engine.database.withConnection { try await $0.pipeline(statements) }
        #expect(answers.count == 2 && RowCounts.byPlace(answers[0]) == RowCounts.byPlace(answers[1]))
    }

    private static func isOne(_ table: ExportManifest.Table, of name: TableName) -> Bool {
        table.place == "\(name)" || table.place == "\(name) (link only)"
    }

    private static func rows(_ table: ExportManifest.Table, in folder: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(table.json)"))
        let rows = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(rows.count == table.rows)
        return rows
    }

    /// Each of the record's rows is there once, without its secrets and what is another's in it, and there is no other row.
    private static func expect(
        _ found: [[String: Any]], _ cells: CorpusExportCells, _ rows: [CorpusRecord.Row], omitted: Set<String>,
        _ which: CorpusFixture.Case
    ) {
        let table = cells.table
        var left = found
        for row in rows {
            let texts = cells.texts(of: row)
            for (column, (cell, text)) in zip(table.columns, zip(row.cells, texts)) where cell.text != text {
                #expect(omitted.contains(column.name), "\(which.testDescription), \(table.name): \(column.name) is not listed")
            }
            let place = left.firstIndex { candidate in
                zip(table.columns, texts).allSatisfy { column, text in
                    guard !secrets.contains(column.name) else { return candidate[column.name] == nil }
                    return column.isTouched || isSame(candidate[column.name], text)
                }
            }
            if let place {
                left.remove(at: place)
            } else {
                Issue.record("\(which.testDescription), \(table.name): missing \(texts.map { $0 ?? "-" })")
            }
        }
        #expect(left.isEmpty, "\(which.testDescription), \(table.name): rows of others \(left.prefix(2))")
    }

    private static func isSame(_ value: Any?, _ text: String?) -> Bool {
        guard let value, !(value is NSNull) else { return text == nil }
        guard let text else { return false }
        if let found = value as? String {
            return [text, text + "+00", text + "/32"].contains(found) || found.replacing(" ", with: "") == text.replacing(" ", with: "")
        }
        if let number = value as? NSNumber {
            return number.stringValue == text || Double(text) == number.doubleValue
                || text == (number.boolValue ? "true" : "false")
        }
        guard let parsed = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { return false }
        let written = [value, parsed].map { try? JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
        return written[0] == written[1]
    }

    /// The value that names the person in a row of others, `column=value`; `nil` without such a value.
    private static func names(
        of person: Int, in row: CorpusRecord.Row, _ table: CorpusTable, _ record: CorpusRecord
    ) -> String? {
        let named = zip(table.columns, row.cells).flatMap { column, cell -> [String] in
            let own = cell.names.filter { record.rows[$0.table]?[$0.row].owners.contains(person) == true }
            return own.map { "\(column.name)=\($0.text)" }
        }
        return named.isEmpty ? nil : Set(named).sorted().joined(separator: " ")
    }

    private static func written(_ rows: [[String: Any]]) -> [String] {
        rows.map { row in
            Set(
                row.flatMap { name, value -> [String] in
                    guard !(value is NSNull) else { return [] }
                    let column = name.split(separator: "#").first.map(String.init) ?? name
                    let text = value as? String ?? (value as? NSNumber)?.stringValue ?? "\(value)"
                    return text.split(separator: ",").map { "\(column)=\($0)" }
                }
            ).sorted().joined(separator: " ")
        }.sorted()
    }
}
