// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// `large object`: the large object that the column names is deleted, unless another row names it too; the column is
/// emptied where the row stays.
struct LargeObjectColumnRule: ColumnRuleKind {
    static let word = "large object"
    static let meaning = "PostgreSQL's large object that the column names is deleted, unless another row names it."
    static let plain: ColumnRule? = .largeObject
    static let givesNull = true
    static let deletesObjects = true

    func findings(_ place: ColumnPlace) -> [Finding] {
        guard !place.column.isNullable else { return unfit(place) }
        return [
            place.finding(
                "column.null-refused", "The rule is large object, which empties the column, but it may not be null.",
                "Make the column nullable, or erase the row.")
        ]
    }

    func findingsWhereErased(_ place: ColumnPlace) -> [Finding] { unfit(place) }

    private func unfit(_ place: ColumnPlace) -> [Finding] {
        guard !place.column.mayNameLargeObjects else { return [] }
        return [
            place.finding(
                "column.no-large-object",
                "The rule is large object, but a column of type \(place.type) refers to none.",
                "Use the rule for columns of PostgreSQL's types oid, oid[] and lo, and of domains over them.")
        ]
    }
}

extension SchemaColumn {
    /// Whether PostgreSQL's large objects may be named here: by numbers (`oid`, its domains and arrays), or by a type
    /// made for that (`lo`).
    package var mayNameLargeObjects: Bool {
        type == "oid" || baseType == "oid" || listsLargeObjects || namesLargeObjects
    }

    /// Whether each value is a list of such numbers (`oid[]`).
    package var listsLargeObjects: Bool { elementType == "oid" }

    /// Whether the type says that they are (the extension `lo`).
    package var namesLargeObjects: Bool { type == "lo" || type.hasSuffix(".lo") }
}

extension SchemaTable {
    /// Whether a trigger of the extension `lo` deletes the object itself that a column names, when the row is deleted
    /// or the column changed: `lo_manage(photo)`. It knows no other column.
    package func managesLargeObjects(of column: String, at change: String) -> Bool {
        triggers.contains { trigger in
            trigger.definition == "lo_manage" && trigger.events.contains(change) && trigger.isAbout(column)
        }
    }
}

extension SchemaTrigger {
    /// Whether its function's only argument is this column's name.
    fileprivate func isAbout(_ column: String) -> Bool {
        let argument = "('" + NameSpelling.name(column).replacing("'", with: "''") + "')"
        return statement.hasSuffix(argument)
    }
}
