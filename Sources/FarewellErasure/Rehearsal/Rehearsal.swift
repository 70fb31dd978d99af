// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellSQL

/// The result of one rehearsed erasure. Nothing of it was committed.
public struct Rehearsal: Sendable, Hashable {
    /// A table whose rows the erasure changed.
    public struct TableChanges: Sendable, Hashable {
        public var table: TableName
        public var rows: RowChanges
    }

    /// The subject's key as it was given: a value, which belongs in no log.
    public var subject: String
    /// Whether anything of the subject is there.
    public var isKnown: Bool
    /// The changes of the erasure, in every table of the database, in name order; empty without counters.
    public var changes: [TableChanges] = []
    /// Tables in which it changed other rows than the plan predicts.
    public var differences: [ChangeDifference] = []
    /// The database's refusals, in the order of their occurrence.
    public var refusals: [RehearsalRefusal] = []
    /// Rows that reading back found after the erasure, by place.
    public var left: [String: Int] = [:]
    /// The effects that the plan may declare (`effects`) to permit the triggers' changes.
    public var effects: [TriggerEffect] = []

    /// The triggers that made these changes, with their tables.
    public var triggers: [String] = []
    /// The triggers that may have kept the rows that are left, with their tables.
    public var keepers: [String] = []

    /// Whether the erasure would end as the plan says.
    public var fits: Bool { differences.isEmpty && refusals.isEmpty && left.isEmpty }
}
