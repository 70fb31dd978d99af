// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell

extension Schema {
    /// The fingerprint in its first form, so that a plan that records one still fits.
    ///
    /// It covers less: no checks, no exclusion constraints, no column lists of keys, no functions that triggers call.
    /// Names of types and names in defaults depend on the session's `search_path`.
    public var earlierFingerprint: String {
        var text = CanonicalText()
        text.add("farewell schema 1")
        text.add(dialect.rawValue)
        let counted = tables.filter {
            $0.kind != .partition || !$0.foreignKeys.isEmpty || !$0.triggers.isEmpty || $0.rowSecurity.isEnabled
        }
        text.add(counted) { $0.addEarlier($1) }
        return "sha256:" + SHA256.hash(data: text.bytes).hexadecimal
    }
}

extension CanonicalText {
    fileprivate mutating func addEarlier(_ table: SchemaTable) {
        add(table.name)
        add(table.kind.rawValue)
        add(table.parents) { $0.add($1) }
        add(table.columns) { $0.addEarlier($1) }
        add(table.primaryKey)
        add(table.uniqueKeys) { $0.add($1) }
        add(table.foreignKeys) { $0.addEarlier($1) }
        add(table.indexes) { $0.addEarlier($1) }
        add(table.triggers) { text, trigger in
            text.add(trigger.name)
            text.add(trigger.events)
            text.add(trigger.definition)
        }
        add(table.rowSecurity.isEnabled)
        add(table.rowSecurity.isForced)
        add(table.hasRowID)
    }

    private mutating func addEarlier(_ column: SchemaColumn) {
        add(column.name)
        add(column.type)
        add(column.kind.rawValue)
        add(column.isNullable)
        add(column.isGenerated)
        add([column.defaultExpression].compactMap(\.self))
        add([column.maximumLength.map(String.init)].compactMap(\.self))
        if let equality = column.looseEquality { add(equality) }
    }

    private mutating func addEarlier(_ key: ForeignKey) {
        add(key.name)
        add(key.columns)
        add(key.target)
        add(key.targetColumns)
        add(key.onDelete.rawValue)
        add(key.isDeferrable)
        add(key.isValidated)
    }

    private mutating func addEarlier(_ index: SchemaIndex) {
        add(index.name)
        add(index.columns)
        add(index.isUnique)
        add(index.isPartial)
        add(index.method)
        if index.areNullsEqual { add(true) }
    }
}
