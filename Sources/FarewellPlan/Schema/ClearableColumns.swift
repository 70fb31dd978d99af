// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The columns of a composite link that rows which stay can lose: the database refuses none of them as null, and null
/// in one of them, or with `MATCH FULL` in all, names no row.
struct ClearableColumns {
    /// Why no column can be set to null.
    enum Obstacle {
        /// Each column may not be null or is part of the primary key.
        case fixed
        /// The key is `MATCH FULL`, so that all of its columns become null together, but this one may not be null.
        case fullKey(fixed: String)
        /// Another key has this column and is `MATCH FULL`: it would become null in part.
        case otherFullKey(column: String)
    }

    /// The columns that can be set to null: each alone, or with `areTogether` all in one change.
    let columns: [String]
    /// Whether other keys have these columns as well, so that rows lose those keys, too.
    let areShared: Bool
    /// Whether the key is `MATCH FULL`.
    let areTogether: Bool
    /// `nil` where some can be set to null.
    let obstacle: Obstacle?

    /// - Parameter link: Of two or more columns.
    init(_ link: Link, in table: SchemaTable) {
        let whole = Set(link.columns)
        let others = table.foreignKeys.filter { Set($0.columns) != whole }
        let open = link.columns.filter { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
        areTogether = table.foreignKeys.contains { $0.matchesFull && Set($0.columns) == whole }
        // Null in part of such a key is refused.
        let full = others.filter { $0.matchesFull && $0.columns.count > 1 }
        let shared = Set(others.flatMap(\.columns))
        if areTogether {
            areShared = !shared.isDisjoint(with: whole)
            let broken = full.first { !whole.isDisjoint(with: $0.columns) && !whole.isSuperset(of: $0.columns) }
            if let fixed = link.columns.first(where: { !open.contains($0) }) {
                (columns, obstacle) = ([], .fullKey(fixed: fixed))
            } else if let column = broken?.columns.first(where: whole.contains) {
                (columns, obstacle) = ([], .otherFullKey(column: column))
            } else {
                (columns, obstacle) = (link.columns, nil)
            }
            return
        }
        let free = open.filter { !shared.contains($0) }
        let bound = Set(full.flatMap(\.columns))
        let found = free.isEmpty ? open.filter { !bound.contains($0) } : free
        (columns, areShared) = (found, free.isEmpty)
        guard found.isEmpty else {
            obstacle = nil
            return
        }
        obstacle = open.first.map { Obstacle.otherFullKey(column: $0) } ?? Obstacle.fixed
    }
}

extension ClearableColumns {
    /// Whether a check of the table refuses null in every row that has the link's value, whichever of its columns
    /// becomes null.
    static func areRefused(_ link: Link, in table: SchemaTable) -> Bool {
        guard link.columns.count > 1 else { return table.alwaysRefusesNull(in: link.columns) }
        let clearable = ClearableColumns(link, in: table)
        guard !clearable.areTogether else { return table.alwaysRefusesNull(in: clearable.columns) }
        return !clearable.columns.isEmpty && clearable.columns.allSatisfy { table.alwaysRefusesNull(in: [$0]) }
    }
}

extension ClearableColumns.Obstacle {
    /// The reason, as a sentence.
    var cause: String {
        switch self {
        case .fixed:
            "No column of this link can be set to null: each may not be null, or is part of the primary key."
        case .fullKey(let fixed):
            "The key is MATCH FULL, so all of its columns become null together, but \(Shown.name(fixed)) may not be "
                + "null or is part of the primary key."
        case .otherFullKey(let column):
            "Another key with MATCH FULL has \(Shown.name(column)) as well: the database refuses a key that is null "
                + "in part."
        }
    }

    /// A change of the schema after which rows can lose the value; without a full stop.
    var remedy: String {
        switch self {
        case .fixed: "Make one of its columns nullable"
        case .fullKey(let fixed): "Make \(Shown.name(fixed)) nullable, or declare the key without MATCH FULL"
        case .otherFullKey:
            "Declare that key without MATCH FULL, or make a column nullable that no other key has"
        }
    }
}
