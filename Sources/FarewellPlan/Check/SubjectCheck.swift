// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The subject's table, key and identifiers exist and can serve.
struct SubjectCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] { root() + identifiers() }

    private func root() -> [Finding] {
        let subject = context.plan.subject
        guard let table = context.map[subject.table] else {
            let hint = context.hints.hint(
                subject.table.description, in: context.map.listed.map(\.name.description))
            return [
                Finding(
                    "subject.unknown", .error, table: subject.table,
                    "The subject's table does not exist in this database\(hint).",
                    remedy: "Correct `subject.table`.")
            ]
        }
        guard let key = table[subject.key] else {
            let hint = context.hints.hint(subject.key, in: table.columns.map(\.name))
            return [
                Finding(
                    "subject.unknown", .error, table: subject.table, column: subject.key,
                    "The subject's table has no such key\(hint).",
                    remedy: "Correct `subject.key`.")
            ]
        }
        var findings: [Finding] = []
        if let equality = key.looseEquality {
            findings.append(
                Finding(
                    "subject.loose", .error, table: subject.table, column: subject.key,
                    "\(Shown.name(equality)) treats differently written keys as equal, but subjects are "
                        + "found by the exact spelling.",
                    remedy: "Name another unique key, such as a number or a uuid."))
        }
        if context.map.schema.dialect.hasColumnTypes, key.isOfTypeOfItsOwn {
            findings.append(
                Finding(
                    "subject.unfit-key", .error, table: subject.table, column: subject.key,
                    "Subjects cannot be selected by a key of the type \(Shown.name(key.type)).",
                    remedy: "Name another unique key: a number, a uuid or text."))
        }
        if key.kind == .bytes {
            findings.append(
                Finding(
                    "subject.unfit-key", .error, table: subject.table, column: subject.key,
                    "The subject's key holds bytes (\(Shown.name(key.type))), which have no text form, so no subject can "
                        + "be named.",
                    remedy: "Name another unique key: a number, a uuid or text, such as a generated column."))
        }
        if !context.map.isUnique([subject.key], in: subject.table) {
            findings.append(
                Finding(
                    "subject.key-not-unique", .error, table: subject.table, column: subject.key,
                    "The subject's key is not unique: two people could share it.",
                    remedy: "Name a primary or unique key of one column."))
        }
        if context.rule(subject.table)?.isPersonal == false {
            findings.append(
                Finding(
                    "subject.not-personal", .error, table: subject.table,
                    "The subject's own table is called not personal.",
                    remedy: "Give it the rule erase, anonymise or retain."))
        }
        return findings
    }

    private func identifiers() -> [Finding] {
        let identifiers = context.plan.subject.identifiers
        guard !identifiers.isEmpty else {
            return [
                Finding(
                    "identifiers.none", .warning,
                    "The plan names no identifiers, so a deep scan can only search for the subject's key.",
                    remedy: "Name columns such as e-mail and phone under `subject.identifiers`.")
            ]
        }
        return identifiers.compactMap { identifier in
            guard let table = context.map[identifier.table] else {
                return unknown(identifier, "This identifier's table does not exist.")
            }
            guard table[identifier.column] != nil else {
                let hint = context.hints.hint(identifier.column, in: table.columns.map(\.name))
                return unknown(identifier, "This identifier's column does not exist\(hint).")
            }
            guard context.roads.reaching.contains(identifier.table) else {
                return unknown(identifier, "This identifier's table does not lead to the person.")
            }
            return nil
        }
    }

    private func unknown(_ identifier: ColumnName, _ message: String) -> Finding {
        Finding(
            "identifier.unknown", .error, table: identifier.table, column: identifier.column, message,
            remedy: "Correct `subject.identifiers`.")
    }
}

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
                "The folder \(name) does not contain the subject's key: it would delete all users' files.",
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

/// Third-party systems have distinct names and existing columns.
struct SystemCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        var seen: Set<String> = []
        return context.plan.systems.compactMap { system in
            let name = Shown.name(system.name)
            if !seen.insert(system.name).inserted || system.name.isEmpty {
                return Finding(
                    "system.twice", .error, "The system \(name) is in the plan twice or has no name.",
                    remedy: "Give each system its own name.")
            }
            guard case .column(let column) = system.person else { return nil }
            let isPlanned = context.plan[column.table].map { $0.rule.isPersonal } ?? false
            guard context.map.column(column.table, column.column) == nil || !isPlanned else { return nil }
            return Finding(
                "system.unknown", .error, table: column.table, column: column.column,
                "The system \(name) uses a column of a table without rows of the subject.",
                remedy: "Name a column of a table that leads to the person.")
        }
    }
}
