// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Asks the database itself whether the checks of a table, and its generated columns that may not be null, accept lists
/// with fewer members than others that they accept. Reads no row.
package struct ShorterListProbe {
    private let context: CheckContext

    package init(_ plan: Plan, _ schema: Schema) {
        context = CheckContext(plan, schema)
    }

    private enum Answer { case refused, allowed, unknown }

    /// A condition that rows of a table must meet.
    private struct Condition {
        /// Its name in a sentence.
        let name: String
        let text: String
        let columns: [String]
        var isOfDomain = false
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        for removal in ListRemoval.all(context) where removal.link.path.isEmpty {
            for condition in conditions(removal) {
                guard let finding = try await finding(condition, removal, on: connection) else { continue }
                findings.append(finding)
            }
        }
        return findings
    }

    private func conditions(_ removal: ListRemoval) -> [Condition] {
        let changed = Set(removal.changed)
        let checks = removal.table.checks.filter { !changed.isDisjoint(with: $0.columns) }.map { check in
            Condition(
                name: check.name.isEmpty ? "a check of the table" : "the check \(Shown.name(check.name))",
                text: check.condition, columns: check.columns, isOfDomain: check.isOfDomain)
        }
        let filled = removal.computed.filter { !$0.isNullable }.map { made in
            Condition(
                name: "the generated column \(Shown.name(made.name)), which may not be null,",
                text: "\(context.map.schema.dialect.quoted(made.name)) IS NOT NULL", columns: [made.name])
        }
        return checks + filled
    }

    private func finding(
        _ condition: Condition, _ removal: ListRemoval, on connection: any SQLConnection
    ) async throws -> Finding? {
        var answers: [Answer] = []
        for count in Self.counts {
            guard let answer = try await answer(condition, removal, count, on: connection) else { return nil }
            answers.append(answer)
        }
        let others = condition.columns.filter { !removal.changed.contains($0) }
        let longest = { (answer: Answer) in answers.lastIndex(of: answer) ?? -1 }
        let accepted = max(longest(.allowed), longest(.unknown))
        let isRefused = answers.prefix(max(accepted, 0)).contains(.refused)
        // The values of the other columns decide where the answer is unknown.
        let isOpen = !others.isEmpty && answers.prefix(max(longest(.allowed), 0)).contains(.unknown)
        guard isRefused || isOpen else { return nil }
        let depends = others.isEmpty ? "" : ", depending on \(Shown.line(others.joined(separator: ", "), limit: 160))"
        return Finding(
            "list.too-short", .warning, table: removal.table.name, column: removal.column.name,
            "\(removal.actor) removes the subject from this list; \(condition.name) refuses some lists with fewer "
                + "members\(depends).",
            remedy: "Make sure that no row is refused (farewell rehearse), or change the condition. "
                + "Otherwise: \(removal.answer).")
    }

    // MARK: Lists

    /// The numbers of members that are tried, in order.
    private static let counts = [0, 1, 2, 3, 4, 10]

    private func list(of count: Int, _ removal: ListRemoval) -> String {
        let kind = context.map.column(removal.link.target, removal.link.targetColumns.first ?? "")?.kind
        let isNumber = kind == .integer || kind == .number
        let members = (0..<count).map { number in
            switch kind {
            case .uuid: "00000000-0000-4000-8000-00000000000\(number)"
            case .integer, .number: "\(number + 1)"
            default: "member\(number)"
            }
        }
        return switch removal.link.list {
        case .array: "{\(members.joined(separator: ","))}"
        case .json: "[\(members.map { isNumber ? $0 : "\"\($0)\"" }.joined(separator: ","))]"
        default: members.joined(separator: ",")
        }
    }

    /// `nil` if the condition cannot be tested here, such as one of the whole row.
    private func answer(
        _ condition: Condition, _ removal: ListRemoval, _ count: Int, on connection: any SQLConnection
    ) async throws -> Answer? {
        // The database would not compute an unused value.
        let question =
            condition.isOfDomain
            ? "count(t.*)"
            : "CASE WHEN (\(condition.text)) IS FALSE THEN 0 WHEN (\(condition.text)) THEN 1 ELSE 2 END"
        let statement = SQLStatement(
            "SELECT \(question) FROM \(row(condition, removal))", [.text(list(of: count, removal))])
        do {
            let answer = try await connection.run(statement)
            return condition.isOfDomain || answer.scalar?.integer == 1
                ? .allowed : answer.scalar?.integer == 0 ? .refused : .unknown
        } catch let error as FarewellError where error.family != .tryAgain {
            // 23514: the condition of the column's own domain.
            return condition.isOfDomain && error.code == "sql.23514" ? .refused : nil
        }
    }

    /// A row with the list and with no other value, except what the database computes from these.
    private func row(_ condition: Condition, _ removal: ListRemoval) -> String {
        let dialect = context.map.schema.dialect
        let table = removal.table
        let computed = removal.computed.filter { condition.columns.contains($0.name) }
        let needed = table.columns.filter { column in
            column.name != removal.column.name && !column.isComputed
                && (condition.columns.contains(column.name)
                    || computed.contains { Computation(of: $0)?.mentions(column.name) == true })
        }
        let list = dialect.castText("$1", as: removal.column.qualifiedType)
        let values =
            ["\(list) AS \(dialect.quoted(removal.column.name))"]
            + needed.map { column in
                "\(dialect.cast("NULL", as: column.qualifiedType)) AS \(dialect.quoted(column.name))"
            }
        let made = computed.map { column in
            "(\(column.computation.isEmpty ? "NULL" : column.computation)) AS \(dialect.quoted(column.name))"
        }
        let alias = dialect.rowOfConditions(of: table.name.name)
        let row = "(SELECT \(values.joined(separator: ", "))) AS \(alias)"
        return made.isEmpty ? row : "(SELECT \(alias).*, \(made.joined(separator: ", ")) FROM \(row)) AS \(alias)"
    }
}
