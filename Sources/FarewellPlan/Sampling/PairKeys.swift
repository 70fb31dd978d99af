// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The values of a type column whose rows lead to subjects by their keys, whatever the app calls the subject's table
/// there: `plugin::users-permissions.user` for `up_users`.
///
/// A value that speaks of another table leads there. Small counted numbers are keys of many tables, so that where keys
/// are such numbers the value has to name the subject, or many numbers have to reach as far as the keys.
struct PairKeys {
    let context: CheckContext
    let probe: SampleProbe
    let limit: Int

    struct Found {
        var values: [String] = []
        /// How many of the different keys beside these values are subjects', and how many there are.
        var count = 0
        var total = 0
    }

    /// A column with more values holds no names of tables.
    private static let mostValues = 100
    /// Fewer keys beside a value say nothing.
    private static let leastKeys = 3

    /// - Parameter models: The names that stand for numbers in the type column.
    func found(
        _ type: SchemaColumn, _ id: SchemaColumn, in table: SchemaTable, models: [String: String]
    ) async throws -> Found {
        let subject = context.plan.subject
        let key = ColumnName(subject.table, subject.key)
        guard let column = context.map.column(key.table, key.column),
            KeyFit.of(id, column, in: context.map.schema.dialect) != nil
        else { return Found() }
        let place = ColumnName(table.name, id.name)
        var read: [String: [SampledPlace: SampledValues]] = [:]
        for row in try await probe.rows(of: table, columns: [type.name, id.name], limit: limit) {
            guard row.count == 2, let value = row[0].text, value.utf8.count <= 200 else { continue }
            SampledValues.collect(row[1], of: place, into: &read[value, default: [:]])
        }
        var found = Found()
        for (value, places) in read.sorted(by: { $0.key < $1.key }).prefix(Self.mostValues) {
            guard let values = places[SampledPlace(column: place)],
                values.uuids.count + values.texts.count + values.integers.count >= Self.leastKeys,
                !namesAnother(models[value] ?? value)
            else { continue }
            let (count, total) = try await counted(values, key, column, models[value] ?? value)
            guard count >= Self.leastKeys, count * 20 >= total * 19 else { continue }
            found.values.append(value)
            found.count += count
            found.total += total
        }
        return found
    }

    /// How many of the values are subjects' keys, if that is no coincidence.
    private func counted(
        _ values: SampledValues, _ key: ColumnName, _ column: SchemaColumn, _ value: String
    ) async throws -> (count: Int, total: Int) {
        switch column.kind {
        case .uuid, .text:
            let uuids = try await probe.present(values.uuids, in: key, kind: column.kind).count
            guard column.kind == .text else { return (uuids, values.uuids.count) }
            let texts = try await probe.matching(values.texts, inText: key, column).count
            return (uuids + texts, values.uuids.count + values.texts.count)
        case .integer, .number:
            let present = try await probe.present(values.integers, in: key)
            guard try await reaches(present, key) || Self.noun(value) == Self.noun(key.table.name) else {
                return (0, 0)
            }
            return (present.count, values.integers.count)
        default: return (0, 0)
        }
    }

    private func reaches(_ numbers: Set<Int64>, _ key: ColumnName) async throws -> Bool {
        guard let greatest = numbers.max(),
            let (range, rows) = try await probe.range(of: key, estimate: context.map[key.table]?.estimatedRows)
        else { return false }
        let width = Double(range.upperBound) - Double(range.lowerBound) + 1
        let isDense = Double(rows) > width / 100
        let reach = (Double(greatest) - Double(range.lowerBound)) / width
        return !isDense || numbers.count >= 20 && reach >= 0.5
    }

    /// Whether a value is the name of another table than the subject's, or ends in its noun: `Blog::Post`.
    private func namesAnother(_ value: String) -> Bool {
        let (words, noun) = (PersonNames.words(value), Self.noun(value))
        let isSubjects = noun == Self.noun(context.plan.subject.table.name)
        return context.map.listed.contains { table in
            guard table.name != context.plan.subject.table else { return false }
            let theirs = PersonNames.words(table.name.name)
            let isWhole = words.dropLast().elementsEqual(theirs.dropLast()) && noun == Self.noun(table.name.name)
            return isWhole || PolymorphicPair.isName(value, of: table.name)
                || !isSubjects && noun == Self.noun(table.name.name)
        }
    }

    /// Whether a value's last part is the noun of a table's rows, and no more: `plugin::users-permissions.user`.
    static func isNoun(_ value: String, of table: TableName) -> Bool {
        let last = value.split(whereSeparator: { "\\./:".contains($0) }).last.map(String.init) ?? value
        return PersonNames.words(last).count == 1 && noun(last) == noun(table.name)
    }

    private static func noun(_ name: String) -> String {
        PersonNames.words(name).last.map { EnglishNoun.singular($0) } ?? ""
    }
}
