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
                    "The subject's key holds bytes (\(Shown.name(key.type))), which have no text form, so no subject "
                        + "can be named.",
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
