// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
@testable import FarewellSessions
import TestFixtures
import Testing

@Suite("The names of the session authority's tables")
struct AuthorityTableNameTests {
    @Test(
        "BX-5 plans and fences know each table that the store makes, and which ones have data of users",
        arguments: SQLDialect.allCases)
    func known(dialect: SQLDialect) {
        let statements = AuthorityMigrations(dialect: dialect).all.flatMap(\.statements)
        let tables = statements.compactMap { statement in
            statement.firstMatch(of: #/CREATE TABLE auth[._]([a-z_]+)/#).map { (String($0.output.1), statement) }
        }
        // The table of versions is made by the migrations' own code.
        let made = Set(tables.map(\.0) + ["migrations"])
        #expect(made == Set(AuthorityTableName.personal + AuthorityTableName.service))
        #expect(Set(AuthorityTableName.personal).isDisjoint(with: AuthorityTableName.service))
        for (name, statement) in tables where statement.contains("REFERENCES") {
            #expect(AuthorityTableName.personal.contains(name), "rows of \(name) lead to a user")
        }
        for name in AuthorityTableName.personal {
            let table = dialect.hasSchemas ? TableName(schema: "auth", name) : TableName("auth_" + name)
            #expect(AuthorityTableName.isOne(table), "\(table)")
        }
    }

    @Test("BX-5 plans know each column of the tables that the migrations make", arguments: SQLDialect.allCases)
    func columns(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let schema = try await Schema.read(from: fixture.fixture.database)
            #expect(Set(AuthorityTableName.columns.keys) == Set(AuthorityTableName.personal + AuthorityTableName.service))
            for (name, columns) in AuthorityTableName.columns {
                let spelling = AuthorityTableName.spellings(name)[dialect.hasSchemas ? 0 : 1]
                let table = try #require(schema.tables.first { $0.name == spelling }, "\(spelling)")
                #expect(Set(table.columns.map(\.name)) == columns, "\(spelling)")
            }
        }
    }
}
