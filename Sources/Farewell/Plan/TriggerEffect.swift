// SPDX-License-Identifier: Apache-2.0

/// The changes of the database's triggers in another table when an erasure changes rows of a table: a history row, a
/// counter. `farewell rehearse` shows them; once the plan declares them, they no longer stop an erasure.
public struct TriggerEffect: Sendable, Hashable {
    /// The table whose rows the erasure deletes or updates.
    public var table: TableName
    /// The table that the triggers change.
    public var also: TableName
    public var inserts: Bound?
    public var updates: Bound?
    public var deletes: Bound?

    /// How many rows the triggers change at most; `nil` in its place: none.
    public enum Bound: Sendable, Hashable {
        /// This number for each row of `table` that is deleted or updated.
        case perRow(Int)
        /// Any number, such as one for each statement.
        case any

        /// The most rows when `rows` rows were changed; `nil` if there is no bound.
        public func limit(of rows: Int) -> Int? {
            switch self {
            case .perRow(let number):
                let (limit, isTooMuch) = number.multipliedReportingOverflow(by: rows)
                return isTooMuch ? nil : limit
            case .any: return nil
            }
        }
    }

    public init(
        on table: TableName, also: TableName, inserts: Bound? = nil, updates: Bound? = nil, deletes: Bound? = nil
    ) {
        self.table = table
        self.also = also
        self.inserts = inserts
        self.updates = updates
        self.deletes = deletes
    }
}

extension TriggerEffect {
    /// One effect for each pair of tables, as large as the largest of them.
    package static func merged(_ effects: [TriggerEffect]) -> [TriggerEffect] {
        effects.reduce(into: []) { merged, effect in
            guard let place = merged.firstIndex(where: { $0.table == effect.table && $0.also == effect.also }) else {
                return merged.append(effect)
            }
            merged[place].inserts = greater(merged[place].inserts, effect.inserts)
            merged[place].updates = greater(merged[place].updates, effect.updates)
            merged[place].deletes = greater(merged[place].deletes, effect.deletes)
        }
    }

    private static func greater(_ one: Bound?, _ other: Bound?) -> Bound? {
        switch (one, other) {
        case (nil, let bound), (let bound, nil): bound
        case (.any, _), (_, .any): .any
        case (.perRow(let one), .perRow(let other)): .perRow(max(one, other))
        }
    }
}
