// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Asks the database itself whether the checks of a table allow that columns become null.
package struct NullProbe {
    private let context: CheckContext
    private let readsRows: Bool

    /// - Parameter readsRows: Whether rows are read where the answer depends on them.
    package init(_ plan: Plan, _ schema: Schema, readsRows: Bool = false) {
        context = CheckContext(plan, schema)
        self.readsRows = readsRows
    }

    private enum Answer { case refused, allowed, unknown }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        var named: [[String]: Set<String>] = [:]
        // Rules are last in each table, and empty the most: each check is named once for a column, with them if
        // possible.
        for emptying in Emptying.all(context).reversed() where !emptying.takesDefaults {
            let columns = emptying.columns.filter { emptying.table[$0]?.isNullable == true }
            for check in emptying.table.checks where !Set(check.columns).isDisjoint(with: columns) {
                let key = [emptying.table.name.description, check.name, check.condition]
                let emptied = check.columns.filter(columns.contains)
                guard !named[key, default: []].isSuperset(of: emptied), !isSettled(check, emptying) else { continue }
                let general = try await finding(check, columns, emptying, on: connection)
                let isCertain = general?.severity == .error
                let refused = try await isCertain ? nil : counted(check, emptied, emptying, on: connection)
                guard let finding = refused ?? general else { continue }
                named[key, default: []].formUnion(emptied)
                findings.append(finding)
            }
        }
        return findings
    }

    /// The checks that refuse null in every row with a value, by the numbers of those of these questions whose answer
    /// `reference` would set a column to null.
    package func refusals(of numbers: [Int], on connection: any SQLConnection) async throws -> [Int: SchemaCheck] {
        var refusals: [Int: SchemaCheck] = [:]
        for number in numbers {
            let question = context.plan.questions[number]
            guard let table = context.map[question.table] else { continue }
            for link in question.links where link.replacement == nil && link.path.isEmpty && link.list == nil {
                let columns = ReferenceChange.columns(of: link, in: table, to: context.referenceTarget(link))
                let emptying = Emptying(table: table, columns: columns, cause: .unlink(link))
                for check in table.checks
                where refusals[number] == nil && check.columns.contains(where: columns.contains) {
                    let found = try await finding(check, columns, emptying, on: connection)
                    if found?.severity == .error { refusals[number] = check }
                }
            }
        }
        return refusals
    }

    /// Whether `ConstantProbe` answers the check, with the constants of the other columns.
    private func isSettled(_ check: SchemaCheck, _ emptying: Emptying) -> Bool {
        guard case .rules = emptying.cause else { return false }
        let rules = check.columns.map { context.columnRule(emptying.table.name, $0) }
        return rules.contains { $0?.constantText != nil }
            && rules.allSatisfy { $0?.constantText != nil || $0?.givesNull == true }
    }

    private func finding(
        _ check: SchemaCheck, _ columns: [String], _ emptying: Emptying, on connection: any SQLConnection
    ) async throws -> Finding? {
        let emptied = check.columns.filter(columns.contains)
        let others = check.columns.filter { !columns.contains($0) }
        let refusal = refusal(by: check, of: emptied, emptying)
        guard refusal != .never else { return nil }
        let answer = try await answer(check, emptying.table, on: connection)
        let isRefused = answer == .refused || refusal == .always
        guard let column = emptied.first, isRefused || !others.isEmpty && emptied.contains(where: check.asksForNull)
        else { return nil }
        let isCertain = isRefused && others.isEmpty || refusal == .always
        let name = check.name.isEmpty ? "A check of the table" : "The check \(Shown.name(check.name))"
        let depends = Shown.line(others.joined(separator: ", "), limit: 160)
        return Finding(
            "check.refuses-null", isCertain ? .error : .warning, table: emptying.table.name, column: column,
            "\(emptying.actor) sets this column to null; \(name.prefix(1).lowercased() + name.dropFirst()) "
                + (!isCertain
                    ? "may refuse that, depending on \(depends)."
                    : others.isEmpty
                        ? "refuses null."
                        : "refuses that in every row that has a value here, whichever of \(depends) are null."),
            remedy: emptying.remedy(
                context,
                or: isCertain
                    ? "change the check" : "make sure that no row is refused (farewell rehearse), or change the check",
                canReplace: true))
    }

    /// The finding about rows that the check refuses as they are today; `nil` if there is none.
    ///
    /// Rows that the plan deletes with their own users may be among them. Where the row does not say which these are,
    /// it is not certain that the erasures would be refused.
    private func counted(
        _ check: SchemaCheck, _ emptied: [String], _ emptying: Emptying, on connection: any SQLConnection
    ) async throws -> Finding? {
        let (table, others) = (emptying.table, check.columns.filter { !emptied.contains($0) })
        guard readsRows, !others.isEmpty, let column = emptied.first, isOfAllRows(emptying),
            refusal(by: check, of: emptied, emptying) != .never,
            // Rules give other values at the same time.
            !others.contains(where: { context.columnRule(table.name, $0)?.changesValue == true })
        else { return nil }
        let names = SameUser(context, table)
        let joint = joint(check, emptying).map { reference in
            emptying.link.flatMap { names.pairs($0, reference.link) }.map {
                RefusedRows.Joint(reference.columns.sorted(), where: $0)
            }
        }
        // Whether a row names one user twice through other rows cannot be read here.
        guard !joint.contains(nil) || !isMetTogether(check, emptied, emptying) else { return nil }
        let owners = context.plan[table.name].map { entry in
            entry.rule.erasesRows ? entry.links.filter { !$0.isReference } : []
        }
        let own = (owners ?? []).map { owner in emptying.link.flatMap { names.pairs($0, owner) } }
        let found = try await RefusedRows.read(
            check, emptying: emptied, with: joint.compactMap(\.self), in: table, notOwn: own.compactMap(\.self),
            on: connection)
        guard let rows = found, rows.refused > 0 else { return nil }
        let name = check.name.isEmpty ? "a check of the table" : "the check \(Shown.name(check.name))"
        let depends = Shown.line(others.joined(separator: ", "), limit: 160)
        let read = rows.read == 1 ? "1 row that has a value here" : "\(rows.read) rows that have a value here"
        return Finding(
            "check.refuses-null", own.contains(nil) ? .warning : .error, table: table.name, column: column,
            "\(emptying.actor) sets this column to null; \(name) refuses that in \(rows.refused) of \(read), "
                + "because of \(depends): their erasures would park.",
            remedy: emptying.remedy(
                context, or: "correct these rows so that the check accepts null; or change the check",
                canReplace: true))
    }

    /// Whether any row with a value may lose it.
    private func isOfAllRows(_ emptying: Emptying) -> Bool {
        if case .unlink(let link) = emptying.cause { return link.condition.isEmpty }
        return true
    }

    /// The refusal that follows from null alone. Rules may change further columns of the check at the same time.
    private func refusal(
        by check: SchemaCheck, of emptied: [String], _ emptying: Emptying
    ) -> NullCondition.Refusal? {
        if case .rules = emptying.cause { return nil }
        let refusal = emptying.table.refusal(by: check, of: emptied)
        return refusal == .always && isMetTogether(check, emptied, emptying) ? .sometimes : refusal
    }

    /// Whether a check accepts every row that loses, in the same change, the other columns of the check by which it
    /// may name the subject as well.
    private func isMetTogether(_ check: SchemaCheck, _ emptied: [String], _ emptying: Emptying) -> Bool {
        let columns = Set(joint(check, emptying).flatMap(\.columns))
        let others = columns.subtracting(emptying.columns).intersection(check.columns)
        return !others.isEmpty && emptying.table.refusal(by: check, of: emptied + others.sorted()) == .never
    }

    /// The other references by which rows lose columns of a check in the same change, if they name the subject twice.
    private func joint(_ check: SchemaCheck, _ emptying: Emptying) -> [JointReferences.Reference] {
        guard case .unlink(let link) = emptying.cause, link.isReference, let entry = context[emptying.table.name]
        else { return [] }
        let joint = JointReferences(boundIn: entry, emptying.table, context).references
        guard joint.contains(where: { $0.link == link }) else { return [] }
        return joint.filter { other in
            other.link != link && other.link.replacement == nil && !other.columns.isDisjoint(with: check.columns)
        }
    }

    private func answer(
        _ check: SchemaCheck, _ table: SchemaTable, on connection: any SQLConnection
    ) async throws -> Answer {
        let dialect = context.map.schema.dialect
        let columns = check.columns.compactMap { table[$0] }
        guard !columns.isEmpty else { return .unknown }
        let values = columns.map { column in
            "\(dialect.cast("NULL", as: column.qualifiedType)) AS \(dialect.quoted(column.name))"
        }
        // The database would not compute an unused value.
        let question =
            check.isOfDomain
            ? "count(t.*)"
            : "CASE WHEN (\(check.condition)) IS FALSE THEN 0 WHEN (\(check.condition)) THEN 1 ELSE 2 END"
        let alias = dialect.rowOfConditions(of: table.name.name)
        do {
            let answer = try await connection.run(
                SQLStatement("SELECT \(question) FROM (SELECT \(values.joined(separator: ", "))) AS \(alias)"))
            return check.isOfDomain || answer.scalar?.integer == 1
                ? .allowed : answer.scalar?.integer == 0 ? .refused : .unknown
        } catch let error as FarewellError where error.family != .tryAgain {
            // 23514: a domain's own condition. Everything else, such as a check of the whole row, cannot be tested
            // here.
            return check.isOfDomain && error.code == "sql.23514" ? .refused : .unknown
        }
    }
}
