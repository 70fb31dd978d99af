// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Testing

@Suite("Names whose letters are composed in two ways")
struct ComposedNameTests {
    /// "é" as one scalar, and as two: Unicode treats the texts as equal, databases do not.
    private static let names = ["caf\u{e9}", "cafe\u{301}"]

    @Test(
        "SC-2 SY-2 a statement about one of two such tables never runs as the statement about the other",
        arguments: TestDatabase.allCases)
    func apart(_ database: TestDatabase) async throws {
        try await database.with { database in
            try await database.withConnection { connection in
                for (number, name) in Self.names.enumerated() {
                    _ = try await connection.run(SQLStatement("CREATE TABLE \"\(name)\" (id integer)"))
                    _ = try await connection.run(SQLStatement("INSERT INTO \"\(name)\" VALUES (\(number))"))
                }
                for _ in 1...2 {
                    for (number, name) in Self.names.enumerated() {
                        let found = try await connection.run(SQLStatement("SELECT id FROM \"\(name)\" WHERE id >= $1", [.integer(0)]))
                        #expect(found.rows == [[.integer(Int64(number))]], "\(name.utf8.count) bytes")
                    }
                }
                _ = try await connection.run(SQLStatement("DELETE FROM \"\(Self.names[1])\" WHERE id >= $1", [.integer(0)]))
                let left = try await connection.run(SQLStatement("SELECT id FROM \"\(Self.names[0])\""))
                #expect(left.rows.count == 1)
            }
        }
    }
}
