// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Reads SQLite's catalog into a `Schema`: two queries, a third where `ANALYZE` left estimates, and one for each table
/// that names a collation; where a virtual table cannot be read, one more for each of these.
enum SQLiteCatalog {
    static func read(from connection: any SQLConnection) async throws -> Schema {
        let (tables, refusals) = try await entries(from: connection)
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
                table.refusal = refusals[ExactText(entry.name)]
                let text = texts.tables[folded(entry.name)] ?? ""
                table.hidesWords = entry.isVirtual && hidesWords(text) ? true : nil
                return table
            })
    }

    /// The tables, and why some of them cannot be read.
    private static func entries(
        from connection: any SQLConnection
    ) async throws -> (tables: [TableEntry], refusals: [ExactText: String]) {
        do {
            return (try await connection.run(tables).rows.map(TableEntry.init), [:])
        } catch {
            // One virtual table whose module is not loaded spoils the whole query: read the others without it.
            let refused = try await refused(on: connection)
            guard !refused.isEmpty else { throw error }
            let besides = SQLStatement(tablesBesides, [.array(refused.map { .text($0.name) })])
            let tables = try await connection.run(besides).rows.map(TableEntry.init)
            let refusals = refused.map { (ExactText(NameSpelling.of($0.name)), $0.message) }
            return (tables, Dictionary(refusals) { first, _ in first })
        }
    }

    /// The virtual tables that cannot be read.
    private static func refused(on connection: any SQLConnection) async throws -> [(name: String, message: String)] {
        var found: [(name: String, message: String)] = []
        for name in try await connection.run(virtualTables).rows.compactMap(\.first?.text) {
            do {
                try await connection.run(SQLStatement(columns, [.text(name)]))
            } catch let error as FarewellError where error.family != .tryAgain {
                found.append((name, error.message))
            }
        }
        return found
    }

    /// Whether the statement makes a full-text index with the text of another table, or with none: `content='posts'`.
    static func hidesWords(_ statement: String) -> Bool {
        folded(statement).contains(#/\susing\s+fts[45]\s*\((?:[\s\S]*[,\s])?content\s*=/#)
    }

    /// A name as SQLite compares names: ASCII letters in either case are the same, all others are not.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { $0.withoutASCIICapital }, as: UTF8.self)
    }
}
