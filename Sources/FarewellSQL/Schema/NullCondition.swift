// SPDX-License-Identifier: Apache-2.0

/// A condition that depends on nothing but which columns are null: `(a IS NULL) <> (b IS NULL)`,
/// `num_nonnulls(a, b) = 1`.
package struct NullCondition: Sendable {
    /// Which rows a condition refuses after some of their columns have become null.
    package enum Refusal: Sendable, Hashable {
        case always, sometimes, never
    }

    private let root: NullExpression
    private let columns: [String]

    /// - Returns: `nil` for a condition about anything else than null, and for one in a form that is not read.
    package init?(_ check: SchemaCheck) {
        guard let root = NullConditionReader.read(check) else { return nil }
        self.init(root, check.columns)
    }

    private init(_ root: NullExpression, _ columns: [String]) { (self.root, self.columns) = (root, columns) }

    /// The demands of a check on null in every row: the whole check, or those of its parts joined by `AND` that depend
    /// on nothing else.
    static func demands(_ check: SchemaCheck) -> [NullCondition] {
        if let whole = NullCondition(check) { return [whole] }
        return NullConditionReader.readParts(check).map { NullCondition($0, check.columns) }
    }

    /// Which rows that meet the condition, and have values in all of `emptied`, are refused once these are null.
    ///
    /// - Parameter filled: The columns that are never null.
    /// - Returns: `nil` if there can be no such row, or if the condition has too many cases.
    package func refusal(of emptied: Set<String>, filled: Set<String>) -> Refusal? {
        let open = columns.filter { !emptied.contains($0) && !filled.contains($0) }
        var before: [String: Bool] = [:]
        for column in columns where emptied.contains(column) || filled.contains(column) { before[column] = false }
        var after = before
        for column in columns where emptied.contains(column) { after[column] = true }
        var steps = 0
        guard let accepts = exists(true, open[...], before, after, &steps),
            let refuses = exists(false, open[...], before, after, &steps)
        else { return nil }
        guard refuses else { return accepts ? .never : nil }
        return accepts ? .sometimes : .always
    }

    private static let mostSteps = 4_000

    /// Whether there is a row that meets the condition before the change, and then meets it or does not.
    ///
    /// - Parameters:
    ///   - open: The columns that may be null or not.
    ///   - before: Whether each of the other columns is null.
    private func exists(
        _ isMet: Bool, _ open: ArraySlice<String>, _ before: [String: Bool], _ after: [String: Bool],
        _ steps: inout Int
    ) -> Bool? {
        steps += 1
        guard steps <= Self.mostSteps else { return nil }
        let (was, becomes) = (root.truth(before), root.truth(after))
        if was == false || becomes == !isMet { return false }
        if was == true, becomes == isMet { return true }
        guard let column = open.first else { return false }
        for isNull in [false, true] {
            var (before, after) = (before, after)
            (before[column], after[column]) = (isNull, isNull)
            guard let found = exists(isMet, open.dropFirst(), before, after, &steps) else { return nil }
            if found { return true }
        }
        return false
    }
}

extension SchemaTable {
    /// Which rows a check of the table refuses after these of their columns have become null; `nil` if that depends on
    /// more than which columns are null. A part joined by `AND` that refuses all is enough.
    package func refusal(by check: SchemaCheck, of emptied: some Sequence<String>) -> NullCondition.Refusal? {
        let filled = Set(check.columns.filter { self[$0]?.isNullable == false })
        let emptied = Set(emptied).intersection(check.columns).subtracting(filled)
        guard !emptied.isEmpty else { return nil }
        if let condition = NullCondition(check) { return condition.refusal(of: emptied, filled: filled) }
        let isRefused = NullCondition.demands(check).contains { $0.refusal(of: emptied, filled: filled) == .always }
        return isRefused ? .always : nil
    }

    /// The check that refuses null in these columns in every row that has values there, such as the check that a row
    /// has one of two parents.
    package func checkRefusingNull(in columns: [String]) -> SchemaCheck? {
        checks.first { check in
            columns.contains(where: check.columns.contains) && refusal(by: check, of: columns) == .always
        }
    }

    /// Whether rows may have values in two columns at once, as far as checks about null say: `num_nonnulls(a, b) = 1`
    /// allows only one.
    package func mayHaveBoth(_ first: String, _ second: String) -> Bool {
        checks.allSatisfy { check in
            guard check.columns.contains(first), check.columns.contains(second) else { return true }
            let filled = Set(check.columns.filter { self[$0]?.isNullable == false } + [first, second])
            return NullCondition.demands(check).allSatisfy { $0.refusal(of: [], filled: filled) != nil }
        }
    }

    /// Whether rows may have no value in a column: it may be null, and no check about it alone forbids that.
    package func mayLackValue(in column: String) -> Bool {
        self[column]?.isNullable == true && !primaryKey.contains(column)
            && !checks.contains { $0.columns == [column] && refusal(by: $0, of: [column]) == .always }
    }

    /// Whether a check refuses null in these columns in every row that has values there.
    package func alwaysRefusesNull(in columns: [String]) -> Bool { checkRefusingNull(in: columns) != nil }
}
