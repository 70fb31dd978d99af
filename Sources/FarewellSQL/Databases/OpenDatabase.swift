// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Opens a database by its address.
///
/// - Parameters:
///   - address: `postgresql://…` or `postgres://…`; `sqlite:path`, `sqlite:///absolute/path` or the plain path
///     of a SQLite file.
///   - sqlite: How a SQLite file is opened.
///   - postgresql: How PostgreSQL is connected to.
/// - Returns: The database, not yet connected to.
/// - Throws: `sql.bad-address` for any other scheme, `sql.missing-file` if the SQLite file is missing and
///   `sqlite.access` does not create it. The first statement shows whether a server answers.
public func openDatabase(
    _ address: String, sqlite: SQLiteConfiguration = SQLiteConfiguration(),
    postgresql: PostgreSQLConfiguration = PostgreSQLConfiguration()
) throws -> any SQLDatabase {
    guard !address.utf8.allSatisfy({ $0 <= 0x20 }) else { throw emptyAddress(of: postgresql.namedBy) }
    let scheme = address.prefix { $0 != ":" && $0 != "/" }.lowercased()
    let rest = address.dropFirst(scheme.count)
    switch scheme {
    case "postgresql" where rest.hasPrefix("://"), "postgres" where rest.hasPrefix("://"):
        return try PostgreSQLDatabase(url: address, configuration: postgresql)
    case "sqlite" where rest.hasPrefix("://"):
        // `sqlite:///data/app.sqlite` has an empty host, followed by the path.
        guard rest.hasPrefix(":///") else { throw unknownAddress(of: postgresql.namedBy) }
        return try SQLiteDatabase(path: String(rest.dropFirst(3)), configuration: sqlite)
    case "sqlite" where rest.hasPrefix(":"):
        return try SQLiteDatabase(path: String(rest.dropFirst(1)), configuration: sqlite)
    default:
        guard !looksLikeServer(address) else { throw unknownAddress(of: postgresql.namedBy) }
        return try SQLiteDatabase(path: address, configuration: sqlite)
    }
}

/// Whether the address is perhaps meant for a server, such as libpq's `host=… password=…` or a URL with a slip in it.
/// An unusual path can be written as `sqlite:path`.
private func looksLikeServer(_ address: String) -> Bool {
    address.hasPrefix("//") || address.utf8.contains { Array(":=@".utf8).contains($0) }
}

/// An unset variable in a script or a container's description leaves an empty text: no file is meant by it.
private func emptyAddress(of place: String?) -> FarewellError {
    FarewellError(
        "sql.bad-address", .yoursToFix, "The database address\(place.map { " of \($0)" } ?? "") is empty.",
        remedy: "Write postgresql://user@host/database or sqlite:path.")
}

/// Does not show the address, which may hold a password.
private func unknownAddress(of place: String?) -> FarewellError {
    FarewellError(
        "sql.bad-address", .yoursToFix, "The database address\(place.map { " of \($0)" } ?? "") has no known scheme.",
        remedy: "Write postgresql://user@host/database or sqlite:path.")
}
