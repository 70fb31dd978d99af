// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The numbers of Django's content types in the conditions of links. Each database numbers its models itself: a plan
/// that was drafted on one may find the rows of other tables in another.
package struct ContentTypeProbe {
    private let plan: Plan
    private let map: SchemaMap

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        map = SchemaMap(schema)
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        let numbers = plan.tables.filter(\.rule.isPersonal).flatMap { conditions(of: $0) }
        guard !numbers.isEmpty else { return [] }
        let models: [String: String]
        do {
            models = try await Self.models(map, SampleProbe(connection: connection))
        } catch let error as FarewellError where error.family != .tryAgain {
            return []
        }
        // A database without rows has no models yet.
        return models.isEmpty ? [] : numbers.compactMap { finding($0, models) }
    }

    /// The models by number: the name of the table that Django gives to a model, if there is such a table.
    static func models(_ map: SchemaMap, _ probe: SampleProbe) async throws -> [String: String] {
        guard let table = map.listed.first(where: GenericKey.listsModels), table.isReadable, table["id"] != nil
        else { return [:] }
        let names = Set(map.listed.map(\.name.name))
        var found: [String: String] = [:]
        for row in try await probe.rows(of: table, columns: ["id", "app_label", "model"], limit: 10_000) {
            guard row.count == 3, let id = row[0].text, let app = row[1].text, let model = row[2].text else { continue }
            found[id] = names.contains("\(app)_\(model)") ? "\(app)_\(model)" : model
        }
        return found
    }

    /// One number of a link's condition.
    private struct Condition {
        let table: TableName
        let link: Link
        let column: String
        let number: String
    }

    private func conditions(of entry: TablePlan) -> [Condition] {
        guard let table = map[entry.table] else { return [] }
        return entry.links.flatMap { link in
            link.condition.parts.flatMap { part -> [Condition] in
                guard let column = table[part.column], GenericKey.isContentType(column, in: table, map) else {
                    return []
                }
                return part.values.map { Condition(table: entry.table, link: link, column: part.column, number: $0) }
            }
        }
    }

    private func finding(_ condition: Condition, _ models: [String: String]) -> Finding? {
        let remedy =
            "Each database numbers Django's models itself. Write the number that django_content_type has here, or let "
            + "`farewell init --sample` draft the plan on this database."
        let name = Shown.line(condition.column, limit: 120)
        guard let model = models[condition.number] else {
            return Finding(
                "link.content-type", .warning, table: condition.table, column: condition.link.columns.first,
                "No content type has the number that `where` gives to \(name).", remedy: remedy)
        }
        // A model may have a table of any name, or none.
        let named = map.listed.map(\.name).filter { PolymorphicPair.isName(model, of: $0) }
        guard let other = named.first, !named.contains(where: { leads($0, to: condition.link.target) }) else {
            return nil
        }
        return Finding(
            "link.content-type", .error, table: condition.table, column: condition.link.columns.first,
            "The number that `where` gives to \(name) is that of \(Shown.name(other.description)) here: the link "
                + "finds rows that refer there.",
            remedy: remedy)
    }

    /// Whether rows of a table are those of another, or continue them, as the table of a subclass does.
    private func leads(_ table: TableName, to target: TableName) -> Bool {
        var (open, seen) = ([table], Set<TableName>())
        while let next = open.popLast() {
            guard next != target else { return true }
            guard seen.insert(next).inserted, let table = map[next] else { continue }
            open += table.foreignKeys.filter { Set($0.columns) == Set(table.primaryKey) }.map(\.target)
        }
        return false
    }
}
