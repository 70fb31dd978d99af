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
        var findings = unfit(key, of: table)
        if !context.map.isUnique([subject.key], in: subject.table) {
            findings.append(
                Finding(
                    "subject.key-not-unique", .error, table: subject.table, column: subject.key,
                    "The subject's key is not unique: two people could share it.",
                    remedy: table.canBeUnique([subject.key])
                        ? "Name a primary or unique key of one column."
                        : "Citus keeps a key unique only if the distribution column is part of it. Distribute the "
                            + "subject's table by its own key, or make it a reference or local table."))
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

    /// Why the key's type or its comparison cannot name a single subject.
    private func unfit(_ key: SchemaColumn, of table: SchemaTable) -> [Finding] {
        let subject = context.plan.subject
        var findings: [Finding] = []
        if let equality = key.looseEquality {
            findings.append(
                Finding(
                    "subject.loose", .error, table: subject.table, column: subject.key,
                    "\(Shown.name(equality)) treats differently written keys as equal, but subjects are "
                        + "found by the exact spelling.",
                    remedy: otherKey(table)))
        }
        if context.map.schema.dialect.hasColumnTypes, key.isOfTypeOfItsOwn {
            findings.append(
                Finding(
                    "subject.unfit-key", .error, table: subject.table, column: subject.key,
                    "Subjects cannot be selected by a key of the type \(Shown.name(key.type)).",
                    remedy: otherKey(table)))
        }
        if key.kind == .bytes {
            findings.append(
                Finding(
                    "subject.unfit-key", .error, table: subject.table, column: subject.key,
                    "The subject's key holds bytes (\(Shown.name(key.type))), which have no text form, so no subject "
                        + "can be named.",
                    remedy: otherKey(table)))
        }
        return findings
    }

    /// The keys that the table has beside one that cannot serve, or how to add one.
    private func otherKey(_ table: SchemaTable) -> String {
        let fit = table.columns.filter { column in
            guard column.name != context.plan.subject.key, context.map.isUnique([column.name], in: table.name),
                column.looseEquality == nil, column.labels == nil, !column.isNullable
            else { return false }
            return [.integer, .number, .uuid, .text].contains(column.kind) && !column.isOfTypeOfItsOwn
        }
        let names = fit.map { ColumnName(table.name, $0.name).description }
        guard let first = names.first else {
            return "Add a column that may not be null, is unique and holds a number, a uuid or text of exact spelling; "
                + "write its name as `subject.key`."
        }
        let others = names.dropFirst().prefix(4).map { Shown.line($0, limit: 160) }
        let subject = ShellArgument.option("--subject", first)
        return "Begin again with `farewell init \(subject)`\(others.isEmpty ? "" : ", or with ")"
            + others.joined(separator: ", ") + "; links to this column stay."
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
            guard context.paths.reaching.contains(identifier.table) else {
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
