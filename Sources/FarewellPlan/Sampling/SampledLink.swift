// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A place whose sampled values are keys, or other names, of subjects.
struct SampledLink: Sendable {
    let place: SampledPlace
    /// How many of the different values were found.
    let count: Int
    let total: Int
    /// `keys` or `identifiers`.
    let what: String
    /// The column that they are values of.
    let key: ColumnName
    /// Whether nothing but counted numbers says so, which other columns that count also have.
    var isCounted = false

    /// The link as `farewell check --sample` reports it.
    func finding(_ context: CheckContext) -> Finding {
        let column = place.column
        let isPersonal = context.isPersonal(column.table)
        let name = Shown.line(TableName.written(column.column), limit: 120)
        let target = Shown.line(key.description, limit: 160)
        let phrase: String =
            switch place.path {
            case _ where place.list != nil: "members of the lists in"
            case nil: "parts of"
            case let path? where path.isEmpty: "values of"
            case let path?: "values at \(Shown.name(path.joined(separator: "."))) in"
            }
        let path = place.path.map {
            $0.isEmpty ? "" : ", path: [\(Shown.line($0.joined(separator: ", "), limit: 160))]"
        }
        let list = place.list.map { ", list: \($0.rawValue), role: reference" } ?? ""
        // PostgreSQL follows a path only into values that must be JSON.
        let kind = context.map.column(column.table, column.column)?.kind
        let isJSON = place.path?.isEmpty == false || place.list == .json
        let needsJSON = kind == .text && isJSON && !context.map.schema.dialect.readsJSON(of: .text)
        let add = needsJSON ? "Make it jsonb, and add" : "Add"
        let link = path.map { "\(add) {from: \(name)\($0), to: \(target)\(list)} to the links" }
        let rule = link == nil || isPersonal ? "" : " and give the table a rule, such as erase"
        // No member is removed from a list in another subject's row.
        let isList = isPersonal && place.path == nil
        let otherwise =
            isList ? "Keep each in its own row, with a key" : "Give the table a rule by another link"
        return Finding(
            what == "keys" ? "link.sampled" : "copy.sampled", isPersonal ? .warning : .error, table: column.table,
            column: column.column,
            "\(count) of \(total) different sampled \(phrase) this column are \(what) of "
                + "\(Shown.name(key.table.description))"
                + "\(isPersonal ? "." : ", but the table is called not personal.")",
            remedy: (link ?? otherwise) + rule + ", or state that it is not a link: "
                + "{\(name): not personal} in `columns`.")
    }
}
