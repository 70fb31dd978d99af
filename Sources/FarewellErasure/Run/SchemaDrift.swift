// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// Says in words how the schema has changed since a run began.
struct SchemaDrift: Sendable {
    let context: ErasureContext

    func differences(since fingerprint: String) async throws -> [String] {
        try await context.database.withConnection { connection in
            guard let text = try await connection.run(context.control.snapshot(of: fingerprint)).scalar?.text else {
                return []
            }
            let before = try JSONDecoder().decode(Schema.self, from: Data(text.utf8))
            let now = try await Schema.read(from: connection)
            return before.differences(to: now).map { "\($0)" }
        }
    }
}
