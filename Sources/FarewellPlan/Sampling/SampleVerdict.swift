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
        try await identifiers(places, into: &found)
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

    /// Of several names of the subject whose values stand in one place, that with the most is meant; of two with as
    /// many, the unique one.
    private func identifiers(
        _ places: [SampledPlace: SampledValues], into found: inout [SampledPlace: SampledLink]
    ) async throws {
        var best: [SampledPlace: SampledLink] = [:]
        for identifier in context.plan.subject.identifiers
        where context.map.column(identifier.table, identifier.column)?.kind == .text {
            var these = found
            try await texts(places, identifier, "identifiers", into: &these)
            for (place, link) in these where found[place] == nil {
                guard let other = best[place] else {
                    best[place] = link
                    continue
                }
                let isBetter =
                    link.count == other.count ? isUnique(link.key) && !isUnique(other.key) : link.count > other.count
                if isBetter { best[place] = link }
            }
        }
        found.merge(best) { known, _ in known }
    }

    private func isUnique(_ name: ColumnName) -> Bool { context.map.isUnique([name.column], in: name.table) }

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
        let names = TableNames(context.map)
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
            guard isLink, !isDense || mayCountUsers(place, key, isNamed: isNamed, names) else { continue }
            found[place] = SampledLink(
                place: place, count: matching.count, total: values.integers.count, what: "keys", key: key,
                isCounted: isDense && !isNamed)
        }
    }

    /// Whether a column of numbers that count as users' keys do may hold these. Half of a pair whose type column is not
    /// asked about names other rows. Where its name is none for a person, a number with fractions or a default counts
    /// something else, and the noun of another table means that table.
    private func mayCountUsers(
        _ place: SampledPlace, _ key: ColumnName, isNamed: Bool, _ names: TableNames
    ) -> Bool {
        guard place.path?.isEmpty == true, let table = context.map[place.column.table],
            let column = table[place.column.column]
        else { return true }
        let name = KeyName(column.name)
        guard PolymorphicPair.typeColumn(of: column, name, in: table, context.map) == nil else { return false }
        if isNamed { return true }
        let hasDefault = LiteralDefault.text(column.defaultExpression).flatMap { Double($0) } != nil
        // `numeric(10,0)` has none, nor has any type of the users' own keys.
        let hasFractions =
            column.kind == .number && context.map.schema.dialect.hasColumnTypes && !column.type.hasSuffix(",0)")
            && column.type != context.map.column(key.table, key.column)?.type
        let subject = context.plan.subject.table
        return !hasDefault && !hasFractions
            && names.named(name.words, near: table.name).allSatisfy { $0 == subject }
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
