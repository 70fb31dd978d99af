// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SchemaTable {
    /// The changes from this table to `newer`, which has the same name.
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
                hasRowID == newer.hasRowID ? nil : newer.hasRowID ? "it has a rowid now" : "it no longer has a rowid",
            ].compactMap(\.self))
        differences += changes(.column, columns, newer.columns, name: \.name) { $0.changes(to: $1) }
        if list(columns.map(\.name)) != list(newer.columns.map(\.name)), differences.isEmpty {
            note(.table, ["its columns are in another order"])
        }
        note(.primaryKey, [words("it", list(primaryKey), list(newer.primaryKey))].compactMap(\.self))
        differences += changes(.uniqueKey, unique, newer.unique, name: { "(\($0))" }) { _, _ in [] }
        differences += changes(.foreignKey, foreignKeys, newer.foreignKeys, name: \.label) { $0.changes(to: $1) }
        differences += changes(.check, checks, newer.checks, name: \.label) { old, new in
            old.condition == new.condition ? [] : ["its condition changed"]
        }
        differences += changes(.exclusion, exclusions, newer.exclusions, name: \.name) { old, new in
            old.definition == new.definition ? [] : ["its exclusion changed"]
        }
        differences += changes(.trigger, triggers, newer.triggers, name: \.name) { old, new in
            [
                words("its list of events", list(old.events), list(new.events)),
                old.statement == new.statement && old.functions == new.functions ? nil : "its action changed",
            ].compactMap(\.self)
        }
        note(
            .replication,
            [
                words(
                    "the list of changes that the server refuses", list(changesRefusedForReplication),
                    list(newer.changesRefusedForReplication))
            ].compactMap(\.self))
        note(
            .rowSecurity,
            [
                change(rowSecurity.isEnabled, newer.rowSecurity.isEnabled, "it is on", "it is off"),
                change(
                    rowSecurity.isForced, newer.rowSecurity.isForced, "it applies to the owner",
                    "it does not apply to the owner"),
            ].compactMap(\.self))
        // Nothing that makes another fingerprint goes without a word.
        if differences.isEmpty, CanonicalText(self) != CanonicalText(newer) { note(.table, ["it changed"]) }
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
            words("its type", qualifiedType, newer.qualifiedType)
                ?? words("its kind", kind.rawValue, newer.kind.rawValue),
            change(isNullable, newer.isNullable, "it may be null", "it may not be null"),
            change(isGenerated, newer.isGenerated, "it is computed", "it is not computed"),
            words("its identity", identity?.rawValue ?? "none", newer.identity?.rawValue ?? "none"),
            qualifiedDefault == newer.qualifiedDefault ? nil : "its default changed",
            words(
                "its handling of null", onNullConflict?.rawValue ?? "abort", newer.onNullConflict?.rawValue ?? "abort"
            ),
            words("its comparison of values", looseEquality ?? "writing", newer.looseEquality ?? "writing"),
            qualifiedType == newer.qualifiedType && maximumLength != newer.maximumLength
                ? "its maximum length changed" : nil,
        ].compactMap(\.self)
    }
}

extension ForeignKey {
    /// Its name, or its columns if it has none.
    fileprivate var label: String { name.isEmpty ? "\(list(columns)) to \(target)" : name }

    fileprivate func changes(to newer: ForeignKey) -> [String] {
        [
            words("its list of columns", list(columns), list(newer.columns)),
            words("its target", "\(target) \(list(targetColumns))", "\(newer.target) \(list(newer.targetColumns))"),
            words("its action on delete", onDelete.rawValue, newer.onDelete.rawValue),
            words("the list of columns that it sets to null", list(setColumns), list(newer.setColumns)),
            words("its action on update", onUpdate.rawValue, newer.onUpdate.rawValue),
            change(matchesFull, newer.matchesFull, "it matches in full", "it does not match in full"),
            change(isDeferrable, newer.isDeferrable, "it can be deferred", "it cannot be deferred"),
            change(isDeferred, newer.isDeferred, "it is deferred", "it is not deferred"),
            areTriggersDisabled == newer.areTriggersDisabled
                ? change(isValidated, newer.isValidated, "it is validated", "it is not validated")
                : change(
                    areTriggersDisabled != true, newer.areTriggersDisabled != true, "its triggers are enabled",
                    "its triggers are disabled"),
        ].compactMap(\.self)
    }
}

extension SchemaCheck {
    /// Its name, or its condition if it has none.
    fileprivate var label: String { name.isEmpty ? condition : isOfDomain ? "\(name) of \(list(columns))" : name }
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
