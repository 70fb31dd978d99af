// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Decides which sampled places hold keys or identifiers of subjects.
///
/// A UUID or a long text that equals a subject's key is no coincidence (`SampleEvidence`). A small number may be one,
/// because half of all columns contain numbers that are also keys. So numbers count only if there are many, all of them
/// are keys, and they reach as far as the keys do.
struct SampleVerdict {
    let context: CheckContext
    let probe: SampleProbe

    /// The maximum number of sampled values.
    private static let greatestCount = 50_000
    /// As many counted numbers in a column with the name of a person say that it holds keys.
    private static let leastNamed = 5

    /// - Parameter others: The values in subjects' own rows, without those that name their subject.
    func links(
        _ places: [SampledPlace: SampledValues], ofOthers others: [SampledPlace: SampledValues]
    ) async throws -> [SampledLink] {
        let subject = context.plan.subject
        let key = ColumnName(subject.table, subject.key)
        guard let keyColumn = context.map.column(key.table, key.column) else { return [] }
        var found: [SampledPlace: SampledLink] = [:]
        switch keyColumn.kind {
        case .uuid: try await uuids(places, key, keyColumn.kind, into: &found)
        case .text:
            try await uuids(places, key, keyColumn.kind, into: &found)
            try await texts(places, key, "keys", into: &found)
        case .integer, .number: try await integers(places, key, into: &found)
        default: break
        }
        let otherKeys = OtherKeys(context.map, subject: subject)
        for identifier in subject.identifiers where identifier.table == key.table {
            guard let kind = context.map.column(identifier.table, identifier.column)?.kind,
                kind == .uuid || kind == .text, otherKeys.contains(identifier.column)
            else { continue }
            try await uuids(places, identifier, kind, into: &found)
        }
        for identifier in subject.identifiers
        where context.map.column(identifier.table, identifier.column)?.kind == .text {
            try await texts(places, identifier, "identifiers", into: &found)
        }
        for entry in context.entries where entry.plan.rule.erasesRows && entry.plan.table != subject.table {
            guard entry.table.primaryKey.count == 1, let kind = entry.table[entry.table.primaryKey[0]]?.kind,
                kind == .uuid || kind == .text
            else { continue }
            try await uuids(places, ColumnName(entry.plan.table, entry.table.primaryKey[0]), kind, into: &found)
        }
        for name in ProfileKeys(context.map, subject: subject).columns where context.isErased(name.table) {
            guard let kind = context.map.column(name.table, name.column)?.kind else { continue }
            try await uuids(places, name, kind, into: &found)
        }
        if keyColumn.kind == .uuid || keyColumn.kind == .text {
            try await uuids(others, key, keyColumn.kind, into: &found)
        }
        if keyColumn.kind == .text { try await texts(others, key, "keys", into: &found) }
        return found.sorted { $0.key.column < $1.key.column }.map(\.value)
    }

    private func uuids(
        _ places: [SampledPlace: SampledValues], _ key: ColumnName, _ kind: SchemaColumn.Kind,
        into found: inout [SampledPlace: SampledLink]
    ) async throws {
        let open = places.filter { found[$0.key] == nil && $0.key.column != key && !$0.value.uuids.isEmpty }
        let present = try await probe.present(Self.union(open.map(\.value.uuids)), in: key, kind: kind)
        for (place, values) in open {
            let matching = values.uuids.intersection(present)
            guard SampleEvidence.isEnough(.init(uuids: matching)) else { continue }
            found[place] = SampledLink(
                place: place, count: matching.count, total: values.uuids.count, what: "keys", key: key)
        }
    }

    private func texts(
        _ places: [SampledPlace: SampledValues], _ key: ColumnName, _ what: String,
        into found: inout [SampledPlace: SampledLink]
    ) async throws {
        let open = places.filter { found[$0.key] == nil && $0.key.column != key && !$0.value.texts.isEmpty }
        guard let column = context.map.column(key.table, key.column) else { return }
        let present = try await probe.matching(Self.union(open.map(\.value.texts)), inText: key, column)
        for (place, values) in open {
            let matching = values.texts.intersection(present)
            let isMost = matching.count >= SampleEvidence.leastValues && matching.count * 3 >= values.texts.count
            guard isMost || matching.contains(where: SampleEvidence.isDistinctive) else { continue }
            found[place] = SampledLink(
                place: place, count: matching.count, total: values.texts.count, what: what, key: key)
        }
    }

    private func integers(
        _ places: [SampledPlace: SampledValues], _ key: ColumnName, into found: inout [SampledPlace: SampledLink]
    ) async throws {
        let estimate = context.map[key.table]?.estimatedRows
        guard let (range, rows) = try await probe.range(of: key, estimate: estimate) else { return }
        let width = Double(range.upperBound) - Double(range.lowerBound) + 1
        let isDense = Double(rows) > width / 100
        let open = places.filter { place, values in
            !values.integers.isEmpty && found[place] == nil && !namesAnotherTable(place.column.column)
        }
        let present = try await probe.present(Self.union(open.map(\.value.integers)), in: key)
        for (place, values) in open {
            let matching = values.integers.intersection(present)
            let share = Double(matching.count) / Double(values.integers.count)
            let isNamed = PersonNames.role(place.path?.last ?? place.column.column) != nil
            let reach = (Double(matching.max() ?? range.lowerBound) - Double(range.lowerBound)) / width
            // Where keys are counted, the smallest numbers are among them, whatever they mean.
            let isSpread =
                isNamed
                ? matching.count >= Self.leastNamed && reach >= 0.2
                : matching.count >= SampleEvidence.manyNumbers && reach >= 0.5
            let isLink =
                isDense
                ? share >= 0.95 && isSpread
                : matching.count(where: SampleEvidence.isLarge) >= SampleEvidence.leastValues && share >= 0.3
            guard isLink else { continue }
            found[place] = SampledLink(
                place: place, count: matching.count, total: values.integers.count, what: "keys", key: key)
        }
    }

    /// `product_id` if there is a table of products that is not the subject's.
    private func namesAnotherTable(_ column: String) -> Bool {
        guard let stem = PersonNames.stem(column), PersonNames.role(column) == nil else { return false }
        return context.entries.contains { PersonNames.stem(ofTable: $0.table.name.name) == stem }
    }

    private static func union<Value: Hashable & Comparable>(_ sets: [Set<Value>]) -> Set<Value> {
        let all = sets.reduce(into: Set<Value>()) { $0.formUnion($1) }
        return all.count <= greatestCount ? all : Set(all.sorted().prefix(greatestCount))
    }
}
