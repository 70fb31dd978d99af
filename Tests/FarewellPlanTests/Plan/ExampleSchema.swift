// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import FarewellSample
import TestFixtures

/// Makes the tables of an example in an empty database.
enum ExampleSchema {
    static func make(_ profile: SamplePeople.Profile, _ kind: PlanDatabase, in database: any SQLDatabase) async throws {
        let script = try ExampleFolder(near: [#filePath]).script(profile, kind == .sqlite ? .sqlite : .postgresql)
        try await database.withConnection { connection in
            for statement in script.statements {
                let words = statement.split(separator: " ").prefix(2).map { $0.uppercased() }
                guard ["CREATE", "ALTER"].contains(words.first), words.last != "DATABASE" else { continue }
                _ = try await connection.run(SQLStatement(statement))
            }
        }
    }
}
