// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// The values of columns that lead nowhere: keys, counters, flags, texts.
struct CorpusValues {
    let schema: CorpusSchema
    let table: CorpusTable
    let dialect: SQLDialect
    /// Which row of its table it is.
    let number: Int
    let people: Int

    mutating func text(of column: CorpusTable.Column, mark: String, _ random: inout CorpusRandom) -> String? {
        let isKey =
            table.primaryKey.last == column.name && !table.leads.contains { $0.columns == [column.name] }
            || column.name == "id"
        if isKey, let key = key(column) { return key }
        if column.isNullable && random.isOne(in: 8) { return nil }
        if let choice = random.pick(column.choices) { return choice }
        switch column.type {
        case "bigint", "integer", "smallint": return "\(random.below(people * 3))"
        case "real": return "\(random.below(people)).5"
        case "boolean":
            let isTrue = random.isOne(in: 2)
            return dialect == .postgresql ? "\(isTrue)" : isTrue ? "1" : "0"
        case "date": return String(format: "2026-%02d-%02d", 1 + random.below(9), 1 + random.below(28))
        case "timestamptz":
            return String(format: "2026-%02d-%02d 03:04:%02d", 1 + random.below(9), 1 + random.below(28), number % 60)
        case "jsonb": return "{\"n\": \(random.below(people * 3))}"
        case "inet": return "192.0.2.\(random.below(200))"
        case "uuid": return Self.uuid(9_000 + place, number)
        case "bigint[]": return CorpusRecord.list(["\(random.below(9))", "7"], like: dialect == .postgresql ? "{" : "[")
        case "text[]": return dialect == .postgresql ? "{red,blue}" : "[\"red\",\"blue\"]"
        case let type where type.hasPrefix("numeric"): return "\(random.below(people * 3)).25"
        default: return words(column.name, mark)
        }
    }

    private func words(_ column: String, _ mark: String) -> String {
        if column.contains("mail") { return "p\(number).\(mark)@mail.example" }
        if column == "phone" { return "+1555\(String(format: "%06d", number)) \(mark)" }
        return "\(column.prefix(5)) \(number) \(mark)"
    }

    private var place: Int { 1 + (schema.tables.firstIndex { $0.name == table.name } ?? 0) }

    private func key(_ column: CorpusTable.Column) -> String? {
        switch column.type {
        case "uuid": Self.uuid(place, number)
        case "bigint" where schema.isSparse: "\(1_000_000_007 * place + 7_919 * number)"
        case "bigint", "integer": "\(number + 1)"
        case "text" where column.name == "id": "c\(place)x\(String(format: "%08d", number * 7_919))kz"
        default: nil
        }
    }

    static func uuid(_ kind: Int, _ number: Int) -> String {
        String(format: "%08x-0000-4000-8000-%012x", kind, number * 7_919 + 1)
    }
}
