// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Folders name columns that exist and templates that reach one subject only.
struct FolderCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.plan.folders.compactMap { folder in
            switch folder.location {
            case .folder(let template): self.template(template, of: folder)
            case .column(let column): self.column(column, of: folder)
            }
        }
    }

    private func template(_ template: String, of folder: FolderPlan) -> Finding? {
        let name = Shown.name(folder.name)
        let parts = template.split(separator: "/", omittingEmptySubsequences: false)
        if !template.contains("{subject}") {
            return Finding(
                "folder.everybody", .error,
                "The folder \(name) does not contain the subject's key, so an erasure would delete all users' files.",
                remedy: "Write {subject} in place of the subject's key, e.g. \"{subject}/\".")
        }
        if template.hasPrefix("/") || parts.contains("..") || parts.contains(".") {
            return Finding(
                "folder.outside", .error, "The folder \(name) is outside its root.",
                remedy: "Write a path below the root, e.g. \"{subject}/\".")
        }
        guard template.hasSuffix("/") else {
            return Finding(
                "folder.open-ended", .error,
                "The folder \(name) does not end with a slash: another user's key may begin with this subject's.",
                remedy: "End it with a slash, e.g. \"{subject}/\".")
        }
        return nil
    }

    private func column(_ column: ColumnName, of folder: FolderPlan) -> Finding? {
        guard let found = context.map.column(column.table, column.column) else {
            let names = context.map[column.table]?.columns.map(\.name) ?? []
            return Finding(
                "folder.unknown-column", .error, table: column.table, column: column.column,
                "The folder \(Shown.name(folder.name)) names a column that does not exist"
                    + "\(context.hints.hint(column.column, in: names)).",
                remedy: "Correct the folder's `column`.")
        }
        guard found.kind == .text, context.isPersonal(column.table) else {
            return Finding(
                "folder.unfit-column", .error, table: column.table, column: column.column,
                "The folder \(Shown.name(folder.name)) needs a text column of a table with the subject's rows.",
                remedy: "Correct the folder's `column`.")
        }
        return nil
    }
}
