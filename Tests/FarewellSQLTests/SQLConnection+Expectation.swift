// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Testing

extension SQLConnection {
    /// Runs a query and expects these rows.
    func expect(
        _ text: String, _ parameters: [SQLValue] = [], gives rows: [[SQLValue]],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await run(SQLStatement(text, parameters)).rows
        #expect(found == rows, sourceLocation: location)
    }
}
