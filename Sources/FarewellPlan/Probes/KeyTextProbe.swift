// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// SQLite: whether each subject's key is a text that can be given. SQLite stores any bytes as a text.
package struct KeyTextProbe {
    private let plan: Plan
    private let schema: Schema
    /// The most keys outside ASCII that are checked.
    private static let most = 10_000

    package init(_ plan: Plan, _ schema: Schema) { (self.plan, self.schema) = (plan, schema) }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        let subject = plan.subject
        guard !schema.dialect.hasColumnTypes, let table = schema[subject.table], table[subject.key] != nil else {
            return []
        }
        let (key, rows) = (schema.dialect.quoted(subject.key), schema.dialect.quoted(table.name.name))
        let found = try await connection.run(
            """
            SELECT hex(k), instr(CAST(k AS blob), x'00') FROM (SELECT \(key) AS k FROM \(rows)) \
            WHERE typeof(k) = 'text' AND (instr(CAST(k AS blob), x'00') > 0 \
            OR k GLOB '*[^' || char(1) || '-' || char(127) || ']*') LIMIT \(Self.most)
            """)
        let unfit = found.rows.count { row in
            row.last?.integer ?? 0 > 0 || !Self.isText(hex: row.first?.text ?? "")
        }
        guard unfit > 0 else { return [] }
        return [
            Finding(
                "subject.unfit-key", .warning, table: subject.table, column: subject.key,
                "\(unfit) key\(unfit == 1 ? " holds" : "s hold") a NUL character or bytes that are no UTF-8. No "
                    + "command and no token can name such a subject, so none can be erased.",
                remedy: "Correct these keys and the values that refer to them, or name another unique key.")
        ]
    }

    /// Whether bytes, written in hexadecimal digits, are UTF-8.
    private static func isText(hex: String) -> Bool {
        let digits = hex.utf8.map { UInt8($0 >= 65 ? $0 - 55 : $0 - 48) }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }
}
