// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

extension SubjectResolver {
    /// Whether a text has the form of a subject's key: it is one as the column writes its numbers and UUIDs, or both
    /// are UUIDs in the same spelling. Other texts have no form.
    func hasForm(of key: String, _ text: String) -> Bool {
        guard let value = try? self.key(text), let written = value.text, written.utf8.elementsEqual(text.utf8) else {
            return false
        }
        if case .text = value {
            guard UUID(text: text) != nil, UUID(text: key) != nil, text.utf8.count == key.utf8.count else {
                return false
            }
            func hasCapitals(_ text: String) -> Bool { text.utf8.contains { $0.isASCIICapital } }
            return hasCapitals(text) == hasCapitals(key)
        }
        return true
    }

    /// Whether a row of the subject's table has one of some keys, written as the column writes it.
    func isAnyThere(_ texts: [String], in database: any SQLDatabase) async throws -> Bool {
        let keys = texts.compactMap { text in
            (try? key(text)).flatMap { $0.text?.utf8.elementsEqual(text.utf8) == true ? $0 : nil }
        }
        guard !keys.isEmpty else { return false }
        let dialect = prepared.schema.dialect
        let groups = dialect.hasArrays ? [keys] : keys.map { [$0] }
        return try await database.withConnection { connection in
            for group in groups {
                let asked = prepared.program(for: group.count).presence
                    .bound(RowValues(subjects: group, limit: Self.bound), dialect: dialect)
                if try await !connection.run(asked).rows.isEmpty { return true }
            }
            return false
        }
    }
}
