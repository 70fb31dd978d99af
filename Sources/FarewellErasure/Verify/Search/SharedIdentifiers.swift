// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Finds the names that other subjects have in their own rows as well, such as a login that is unique only within an
/// organisation: elsewhere such a name may mean the other subject.
struct SharedIdentifiers: Sendable {
    let plan: Plan
    let schema: Schema

    /// No more rows of one place are compared.
    private static let mostRows = 10_000

    /// A text in the rows of subjects, and the column with the subject's key.
    private struct Source {
        let table: SchemaTable
        let owner: String
        let text: String
    }

    /// The keys of the subjects in whose rows a name is, by the name's place in the list, in lower case.
    ///
    /// - Parameter places: The names to look for, by their places.
    func owners(
        of names: [SearchedName], at places: Set<Int>, on database: any SQLDatabase
    ) async throws -> [Int: Set<ExactText>] {
        let wanted = names.indices.filter { places.contains($0) && names[$0].form != .number }
        guard !wanted.isEmpty else { return [:] }
        var owners: [Int: Set<ExactText>] = [:]
        for source in sources() {
            let rows: [[SQLValue]]
            do {
                let statement = self.statement(source, wanted.flatMap { names[$0].patterns })
                rows = try await database.run(statement).rows
            } catch let error as FarewellError where error.family != .tryAgain {
                // A place that cannot be read shows no other subject.
                continue
            }
            for row in rows {
                guard let text = row[0].text, let owner = row[1].text else { continue }
                let folded = text.folded
                for place in wanted where Self.isSame(names[place], folded) {
                    owners[place, default: []].insert(ExactText(owner.lowercased()))
                }
            }
        }
        return owners
    }

    private static func isSame(_ name: SearchedName, _ text: [UInt8]) -> Bool {
        if name.spellings.contains(text) { return true }
        guard name.form == .phone else { return false }
        let digits = text.filter { $0.isASCIIDigit }
        return digits.count > 6 && name.spellings.contains(digits)
    }

    // MARK: Places

    private var dialect: SQLDialect { schema.dialect }

    private func sources() -> [Source] {
        let implied = ImpliedIdentifiers(plan, schema)
        let descendants = Set(TableDescendants(schema).of(plan.subject.table))
        let columns = plan.subject.identifiers + implied.columns
        let single = columns.compactMap { column -> Source? in
            guard let table = schema[column.table], table[column.column] != nil, table.isReadable else { return nil }
            return owner(of: table, descendants).map { Source(table: table, owner: $0, text: text(column.column)) }
        }
        let full = implied.fullNames.flatMap { name -> [Source] in
            guard let table = schema[name.table], table.isReadable, let owner = owner(of: table, descendants) else {
                return []
            }
            let (given, family) = (text(name.given), text(name.family))
            return ["(\(given) || ' ' || \(family))", "(\(family) || ', ' || \(given))"].map {
                Source(table: table, owner: owner, text: $0)
            }
        }
        return single + full
    }

    private func text(_ column: String) -> String { dialect.plainText("t.\(dialect.quoted(column))") }

    /// The column with the key of the subject whose row it is; `nil` if the database does not vouch for one.
    private func owner(of table: SchemaTable, _ descendants: Set<TableName>) -> String? {
        let subject = plan.subject
        if table.name == subject.table || descendants.contains(table.name) { return subject.key }
        let keys = table.foreignKeys.filter {
            $0.isValidated && $0.target == subject.table && $0.columns.count == 1
                && ($0.targetColumns == [subject.key]
                    || $0.targetColumns.isEmpty && schema[subject.table]?.primaryKey == [subject.key])
        }
        return keys.count == 1 ? keys[0].columns[0] : nil
    }

    private func statement(_ source: Source, _ patterns: [String]) -> SQLStatement {
        let owner = "t.\(dialect.quoted(source.owner))"
        let rows = RowStatementBuilder(dialect: dialect).rows(of: source.table)
        return SQLStatement(
            "SELECT \(source.text) AS v, CAST(\(owner) AS text) AS o FROM \(rows) AS t "
                + "WHERE \(owner) IS NOT NULL AND \(dialect.holds(source.text, anyOf: "$1")) LIMIT \(Self.mostRows)",
            [dialect.searchList(patterns.exactlyDistinct)])
    }
}
