// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SchemaTable {
    /// What changed from this table to `newer`, which has the same name.
    func differences(to newer: SchemaTable) -> [SchemaDifference] {
        guard self != newer else { return [] }
        var differences: [SchemaDifference] = []
        func note(_ subject: SchemaDifference.Subject, _ details: [String]) {
            guard !details.isEmpty else { return }
            differences.append(
                SchemaDifference(subject, .changed, table: name, detail: details.joined(separator: "; ")))
        }
        note(
            .table,
            [
                words("it", kind.rawValue, newer.kind.rawValue),
                words("its list of parents", list(parents), list(newer.parents)),
                hasRowID == newer.hasRowID ? nil : newer.hasRowID ? "it has a rowid now" : "it has no rowid any more",
            ].compactMap(\.self))
        differences += changes(.column, columns, newer.columns, name: \.name) { $0.changes(to: $1) }
        if list(columns.map(\.name)) != list(newer.columns.map(\.name)), differences.isEmpty {
            note(.table, ["its columns are in another order"])
        }
        note(.primaryKey, [words("it", list(primaryKey), list(newer.primaryKey))].compactMap(\.self))
        differences += changes(.uniqueKey, uniqueKeys, newer.uniqueKeys, name: { list($0) }) { _, _ in [] }
        differences += changes(.foreignKey, foreignKeys, newer.foreignKeys, name: \.label) { $0.changes(to: $1) }
        differences += changes(.index, indexes, newer.indexes, name: \.name) { $0.changes(to: $1) }
        differences += changes(.trigger, triggers, newer.triggers, name: \.name) { old, new in
            [
                words("its list of events", list(old.events), list(new.events)),
                old.definition == new.definition ? nil : "it does something else",
            ].compactMap(\.self)
        }
        note(
            .rowSecurity,
            [
                change(rowSecurity.isEnabled, newer.rowSecurity.isEnabled, "it is on", "it is off"),
                change(
                    rowSecurity.isForced, newer.rowSecurity.isForced, "it applies to the owner",
                    "it does not apply to the owner"),
            ].compactMap(\.self))
        // Nothing that makes another fingerprint goes without a word.
        if differences.isEmpty, CanonicalText(self) != CanonicalText(newer) { note(.table, ["it is another"]) }
        return differences
    }

    private func changes<Entry: Hashable>(
        _ subject: SchemaDifference.Subject, _ before: [Entry], _ after: [Entry], name key: (Entry) -> String,
        details: (Entry, Entry) -> [String]
    ) -> [SchemaDifference] {
        pairs(before, after, by: key).compactMap { pair in
            func difference(_ change: SchemaDifference.Change, _ detail: String = "") -> SchemaDifference {
                SchemaDifference(subject, change, table: name, name: pair.key, detail: detail)
            }
            switch (pair.before, pair.after) {
            case (nil, _): return difference(.added)
            case (_, nil): return difference(.gone)
            case (let old?, let new?):
                guard old != new else { return nil }
                let words = details(old, new)
                return words.isEmpty ? nil : difference(.changed, words.joined(separator: "; "))
            }
        }
    }
}

extension SchemaColumn {
    fileprivate func changes(to newer: SchemaColumn) -> [String] {
        [
            words("its type", type, newer.type) ?? words("its kind", kind.rawValue, newer.kind.rawValue),
            change(isNullable, newer.isNullable, "it may be null", "it may not be null"),
            change(isGenerated, newer.isGenerated, "it is computed", "it is not computed"),
            defaultExpression == newer.defaultExpression ? nil : "its default is another",
            words("what makes its values equal", looseEquality ?? "writing", newer.looseEquality ?? "writing"),
            type == newer.type && maximumLength != newer.maximumLength ? "its greatest length is another" : nil,
        ].compactMap(\.self)
    }
}

extension ForeignKey {
    /// Its name, or its columns where it has none.
    fileprivate var label: String { name.isEmpty ? "\(list(columns)) to \(target)" : name }

    fileprivate func changes(to newer: ForeignKey) -> [String] {
        [
            words("its list of columns", list(columns), list(newer.columns)),
            words("its target", "\(target) \(list(targetColumns))", "\(newer.target) \(list(newer.targetColumns))"),
            words("its action on delete", onDelete.rawValue, newer.onDelete.rawValue),
            change(isDeferrable, newer.isDeferrable, "it can be deferred", "it cannot be deferred"),
            change(isValidated, newer.isValidated, "it is validated", "it is not validated"),
        ].compactMap(\.self)
    }
}

extension SchemaIndex {
    fileprivate func changes(to newer: SchemaIndex) -> [String] {
        [
            words("its list of columns", list(columns), list(newer.columns)),
            words("its method", method, newer.method),
            change(isUnique, newer.isUnique, "it is unique", "it is not unique"),
            change(isPartial, newer.isPartial, "it covers only some rows", "it covers all rows"),
            change(areNullsEqual, newer.areNullsEqual, "it takes nulls for equal", "it takes no nulls for equal"),
        ].compactMap(\.self)
    }
}

private func words(_ what: String, _ old: String, _ new: String) -> String? {
    old == new ? nil : "\(what) was \(old) and is \(new)"
}

private func change(_ old: Bool, _ new: Bool, _ on: String, _ off: String) -> String? {
    old == new ? nil : (new ? on : off) + " now"
}

private func list(_ names: [String]) -> String {
    "(" + names.map(TableName.written).joined(separator: ", ") + ")"
}

private func list(_ names: [TableName]) -> String {
    "(" + names.map(\.description).joined(separator: ", ") + ")"
}
