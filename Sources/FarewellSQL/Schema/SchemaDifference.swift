// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// One thing that changed between two readings of a schema. Its description is a sentence for people.
public struct SchemaDifference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of the changed object.
    public enum Subject: String, Sendable, Hashable, Codable, CaseIterable {
        case database, table, column
        case primaryKey = "primary key"
        case uniqueKey = "unique key"
        case foreignKey = "foreign key"
        case index, check
        case exclusion = "exclusion constraint"
        case trigger, replication
        case rowSecurity = "row security"
    }

    /// The change.
    public enum Change: String, Sendable, Hashable, Codable, CaseIterable {
        case added, gone, changed
    }

    public var subject: Subject
    public var change: Change
    /// The table it concerns; `nil` for the database as a whole.
    public var table: TableName?
    /// The name of the column, key, index or trigger; `nil` for the table as a whole.
    public var name: String?
    /// In words what changed about it; empty where `change` says everything.
    public var detail: String

    public init(
        _ subject: Subject, _ change: Change, table: TableName? = nil, name: String? = nil, detail: String = ""
    ) {
        self.subject = subject
        self.change = change
        self.table = table
        self.name = name
        self.detail = detail
    }

    /// For example `Column email of public.users changed: its type was text and is integer.`
    public var description: String {
        var words = subject.rawValue
        if let name { words += " " + TableName.written(name) }
        if let table { words += (subject == .table ? " " : " of ") + table.description }
        switch change {
        case .added: words += " was added"
        case .gone: words += " was removed"
        case .changed: words += " changed"
        }
        if !detail.isEmpty { words += ": " + detail }
        return words.prefix(1).uppercased() + words.dropFirst() + "."
    }
}

extension Schema {
    /// The changes from this schema to `newer`, in the order of the tables. Empty exactly if the fingerprints are
    /// equal.
    public func differences(to newer: Schema) -> [SchemaDifference] {
        var differences: [SchemaDifference] = []
        if dialect != newer.dialect {
            let detail = "it was \(dialect.rawValue) and is \(newer.dialect.rawValue)"
            differences.append(SchemaDifference(.database, .changed, detail: detail))
        }
        let before = tables.filter(\.countsForPlans)
        let after = newer.tables.filter(\.countsForPlans)
        for pair in pairs(before, after, by: \.name).sorted(by: { $0.key < $1.key }) {
            switch (pair.before, pair.after) {
            case (let old?, let new?): differences += old.differences(to: new)
            case (nil, _): differences.append(SchemaDifference(.table, .added, table: pair.key))
            case (_, nil): differences.append(SchemaDifference(.table, .gone, table: pair.key))
            }
        }
        return differences
    }
}

/// One thing before and after, found by its key; at least one of the two exists.
struct Pair<Key: Hashable, Value> {
    let key: Key
    let before: Value?
    let after: Value?
}

/// The things of both lists, in the order of the first and then of the second.
func pairs<Key: Hashable, Value>(
    _ before: [Value], _ after: [Value], by key: (Value) -> Key
) -> [Pair<Key, Value>] {
    let old = Dictionary(before.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    let new = Dictionary(after.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    return (before + after).map(key).withoutRepetition.map { Pair(key: $0, before: old[$0], after: new[$0]) }
}
