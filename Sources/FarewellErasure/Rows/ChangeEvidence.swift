// SPDX-License-Identifier: Apache-2.0

import FarewellPlan
import FarewellSQL
import Farewell

/// The known changes of one transaction beside the database's counters: they predict the counters.
struct ChangeEvidence: Sendable {
    /// Rows by place, counted before anything was changed; `nil` if nothing was counted.
    var found: [String: Int]?
    /// The same rows, counted in the same transaction after the changes, where a trigger may have kept some; `nil` if
    /// nothing was counted again. The rows that are gone are the predicted ones, and no others may be.
    var left: [String: Int]?
    /// The nodes whose rows are changed, by a statement or by the database's cascade.
    var nodes: Set<Int> = []
    /// How many rows the statements about a node say they changed.
    var told: [Int: Int] = [:]
    /// How many rows of a node the statements say lost a link.
    var unlinked: [Int: Int] = [:]
    /// How many rows the database's keys update.
    var keyUpdates: [TableName: ClosedRange<Int>] = [:]
    /// Whether all rows that were found of these nodes were to be changed, so that what the statements say can be
    /// compared with what was counted.
    var isOfAll = false
    /// Whether a trigger or a rule may keep rows, so that fewer rows may be changed than were counted.
    var mayBeResisted = false

    /// Adds what is known of another part of the same transaction.
    mutating func add(_ other: ChangeEvidence) {
        if let counted = other.found { found = (found ?? [:]).merging(counted, uniquingKeysWith: +) }
        if let counted = other.left { left = (left ?? [:]).merging(counted, uniquingKeysWith: +) }
        nodes.formUnion(other.nodes)
        told.merge(other.told, uniquingKeysWith: +)
        unlinked.merge(other.unlinked, uniquingKeysWith: +)
        keyUpdates.merge(other.keyUpdates) { one, other in
            (one.lowerBound + other.lowerBound)...(one.upperBound + other.upperBound)
        }
        isOfAll = isOfAll || other.isOfAll
        mayBeResisted = mayBeResisted || other.mayBeResisted
    }
}
