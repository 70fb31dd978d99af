// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import LinearGrowth
import Testing

@testable import FarewellSQL

@Suite("Names and definitions in a catalog, parsed in linear time", .serialized)
struct LinearCatalogTests {
    @Test("SC-2 rows of a catalog are read in linear time, and hashed and compared so afterwards")
    func rows() async {
        struct Entry: Decodable { let name: String }
        let faults =
            await LinearGrowth.faults(of: "a text") { text in
                var row = CatalogRow([.text(text)])
                _ = (try? row.text()).map(\.hashValue)
            }
            + LinearGrowth.faults(of: "a list") { text in
                var row = CatalogRow([.text("[{\"name\":\"\(text)\",\"\(text)\":1}]")])
                _ = (try? row.list(of: Entry.self))?.first?.name.hashValue
            }
            + LinearGrowth.faults(of: "a definition") { text in
                for definition in [
                    "CREATE TABLE t (a text CHECK (a <> '\(text)'), \"\(text)\" int)", "CREATE INDEX i ON t (\(text))",
                ] {
                    var row = CatalogRow([.text(definition)])
                    guard let read = try? row.text() else { continue }
                    _ = SQLiteExpression.checks(in: read)
                    _ = SQLiteExpression.key(ofIndex: read)
                }
            }
            + LinearGrowth.faults(of: "a message") { text in
                for state in ["22P02", "23505"] { _ = PostgreSQLFailure.withoutLiterals("a \(text) \"b\"", state) }
            }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("SC-2 a schema whose names contain long runs of combining marks is refused with its cause")
    func refused() throws {
        let name = String(repeating: "\u{301}", count: 1_000)
        var row = CatalogRow([.text(name)])
        let error = try #require(throws: FarewellError.self) { try row.text() }
        #expect(error.code == "schema.marks")
    }
}
