// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// The physical places of a large account's rows, listed once and taken in pieces while each piece is a transaction of
/// its own.
///
/// The server keeps the list (a held cursor), unless a pooler gives each transaction another session: then it is kept
/// here, about 40 bytes a row, for nothing may be left on the pooler's session.
enum ListedPlaces {
    case held
    case here(ArraySlice<SQLValue>)

    /// - Parameter places: One place a row, in physical order.
    static func list(_ places: SQLStatement, on connection: any SQLConnection) async throws -> ListedPlaces {
        guard connection.hasOwnSession else {
            let together = SQLStatement(
                "SELECT array_agg(listed.place::text) FROM (\(places.text)) AS listed (place)", places.parameters)
            guard case .array(let list)? = try await connection.run(together).scalar else { return .here([]) }
            return .here(list[...])
        }
        // An interrupted run leaves its list behind on a connection that is lent again.
        try await connection.run("CLOSE ALL")
        try await connection.run(
            SQLStatement(
                "DECLARE farewell_places NO SCROLL CURSOR WITH HOLD FOR \(places.text)", places.parameters))
        return .held
    }

    /// The next places, at most this number; empty if there are no more.
    mutating func next(_ count: Int, on connection: any SQLConnection) async throws -> [SQLValue] {
        switch self {
        case .held:
            let fetched = try await connection.run(SQLStatement("FETCH \(count) FROM farewell_places"))
            return fetched.rows.compactMap(\.first)
        case .here(let list):
            self = .here(list.dropFirst(count))
            return Array(list.prefix(count))
        }
    }

    func close(on connection: any SQLConnection) async throws {
        if case .held = self { try await connection.run("CLOSE farewell_places") }
    }
}
