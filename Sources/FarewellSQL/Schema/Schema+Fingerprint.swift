// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell

extension Schema {
    /// `sha256:` and 64 hexadecimal digits over everything a plan depends on.
    ///
    /// Left out: row estimates, the connected role and its rights, the labels of enums, and partitions that add nothing
    /// to their parent, so that next month's partition is no drift. Equal fingerprints mean no `differences(to:)`, and
    /// the other way round.
    public var fingerprint: String {
        var text = CanonicalText()
        text.add("farewell schema 1")
        text.add(dialect.rawValue)
        text.add(tables.filter(\.countsForPlans)) { $0.add($1) }
        let digest = SHA256.hash(data: text.bytes)
        return "sha256:" + digest.hexadecimal
    }
}

extension SchemaTable {
    /// Whether it is more than a partition that only holds its parent's rows.
    var countsForPlans: Bool {
        kind != .partition || !foreignKeys.isEmpty || !triggers.isEmpty || rowSecurity.isEnabled
    }
}

/// Text in which no two different schemas look the same: every part carries its length.
struct CanonicalText: Hashable {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(_ table: SchemaTable) {
        add(table)
    }

    mutating func add(_ text: String) {
        bytes.append(contentsOf: "\(text.utf8.count):".utf8)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ flag: Bool) {
        bytes.append(UInt8(ascii: flag ? "+" : "-"))
    }

    mutating func add<Entry>(_ list: [Entry], each add: (inout CanonicalText, Entry) -> Void) {
        bytes.append(contentsOf: "[\(list.count)".utf8)
        for entry in list { add(&self, entry) }
    }

    mutating func add(_ list: [String]) {
        add(list) { $0.add($1) }
    }

    mutating func add(_ name: TableName) {
        add([name.schema].compactMap(\.self))
        add(name.name)
    }

    mutating func add(_ table: SchemaTable) {
        add(table.name)
        add(table.kind.rawValue)
        add(table.parents) { $0.add($1) }
        add(table.columns) { $0.add($1) }
        add(table.primaryKey)
        add(table.uniqueKeys) { $0.add($1) }
        add(table.foreignKeys) { $0.add($1) }
        add(table.indexes) { $0.add($1) }
        add(table.triggers) { text, trigger in
            text.add(trigger.name)
            text.add(trigger.events)
            text.add(trigger.definition)
        }
        add(table.rowSecurity.isEnabled)
        add(table.rowSecurity.isForced)
        add(table.hasRowID)
    }

    private mutating func add(_ column: SchemaColumn) {
        add(column.name)
        add(column.type)
        add(column.kind.rawValue)
        add(column.isNullable)
        add(column.isGenerated)
        add([column.defaultExpression].compactMap(\.self))
        add([column.maximumLength.map(String.init)].compactMap(\.self))
        // Only where there is one, so that plans made before this was known still fit. Nothing else begins like it:
        // behind a name stands a type's name, never a type, a kind and a flag.
        if let equality = column.looseEquality { add(equality) }
    }

    private mutating func add(_ key: ForeignKey) {
        add(key.name)
        add(key.columns)
        add(key.target)
        add(key.targetColumns)
        add(key.onDelete.rawValue)
        add(key.isDeferrable)
        add(key.isValidated)
    }

    private mutating func add(_ index: SchemaIndex) {
        add(index.name)
        add(index.columns)
        add(index.isUnique)
        add(index.isPartial)
        add(index.method)
        // Only where it is so, as above: behind an index stands never a flag.
        if index.areNullsEqual { add(true) }
    }
}
