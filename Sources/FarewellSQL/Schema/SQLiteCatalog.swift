// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Reads SQLite's catalog into a `Schema`: two queries, a third where `ANALYZE` left estimates,
/// and one for each table that names a collation.
enum SQLiteCatalog {
    static func read(from connection: any SQLConnection) async throws -> Schema {
        let tables = try await entries(from: connection)
        let texts = try Texts(try await connection.run(texts).rows)
        let collating = tables.filter { texts.collating.contains(folded($0.name)) }
        let equalities = try await looseEqualities(of: collating, connection)
        var estimates: [String: Int] = [:]
        if texts.hasEstimates {
            for row in try await connection.run(rowEstimates).rows {
                var row = CatalogRow(row)
                let table = folded(try row.name())
                let count = try row.optionalText()?.split(separator: " ").first.flatMap { Int($0) }
                estimates[table] = max(estimates[table] ?? 0, count ?? 0)
            }
        }
        let byName = Dictionary(tables.map { (folded($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        return Schema(
            dialect: .sqlite,
            tables: tables.map { entry in
                let loose = equalities[entry.name] ?? [:]
                var table = entry.table(texts: texts, looseEqualities: loose) { byName[folded($0)] }
                table.estimatedRows = estimates[folded(entry.name)]
                return table
            })
    }

    private static func entries(from connection: any SQLConnection) async throws -> [TableEntry] {
        do {
            return try await connection.run(tables).rows.map(TableEntry.init)
        } catch {
            // One virtual table whose module is not loaded spoils the whole query: find out which.
            guard let row = try? await connection.run(missingModules).rows.first, let name = row.first?.text else {
                throw error
            }
            throw FarewellError(
                "schema.module-missing", .yoursToFix,
                "The virtual table \(TableName(name)) needs a module that this SQLite does not have.",
                remedy: "Drop the table, or keep its rows in an ordinary one.")
        }
    }

    /// A name as SQLite compares names: ASCII letters in either case are the same, all others are not.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { $0.withoutASCIICapital }, as: UTF8.self)
    }
}
