// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellSQL

/// A key or a check of the database that would stop the erasure, and the rows behind it.
public struct Blocker: Sendable, Hashable {
    /// The referencing table.
    public var table: TableName
    public var columns: [String]
    /// The table whose rows could not be deleted.
    public var target: TableName
    public var onDelete: DeleteAction
    public var rows: Int
    /// Primary keys of some of the rows, for the operator only: they are values and must not be logged.
    public var examples: [String]
    /// Whether the plan has a link along this key: then its rows hold the key in a form that the link does not match.
    package var isLinked = false
    /// The check constraint that refuses null in these columns; empty for one without a name, `nil` for a key.
    public var check: String?

    /// The remedy for these rows.
    public var remedy: String {
        guard check == nil else { return Self.remedyOfCheck }
        guard isLinked else { return Self.remedyOfNoRule }
        return Self.remedy(ofForm: columns, target)
    }

    static let remedyOfCheck =
        "Correct these rows so that the check accepts null, change the check, or change the plan: erase them too, or "
        + "replace the value (`set:` in the link, a constant as the column's rule)."

    static let remedyOfNoRule = "Give these rows a rule in the plan: erase them too, or empty the link."

    static func remedy(ofForm columns: [String], _ target: TableName) -> String {
        "The plan has a link along this key, but these rows write it in another form than \(target) does, such as 01 "
            + "for 1. Write the values of \(columns.joined(separator: ", ")) as they are there."
    }

    public var message: String {
        if let check {
            let name = check.isEmpty ? "a check" : "the check \(Shown.name(check))"
            return "In \(rows) row\(rows == 1 ? "" : "s") of \(table), \(name) refuses that "
                + "\(columns.joined(separator: ", ")) become\(columns.count == 1 ? "s" : "") null."
        }
        return "\(rows) row\(rows == 1 ? "" : "s") of \(table) refer\(rows == 1 ? "s" : "") by "
            + "(\(columns.joined(separator: ", "))) to rows of \(target) that would be erased."
    }
}
