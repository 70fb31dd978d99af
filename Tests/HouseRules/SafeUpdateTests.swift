// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A database may refuse every UPDATE and DELETE without a condition (pg-safeupdate, which Supabase's image contains).
struct SafeUpdateTests {
    @Test("SB-1 every statement of the product that changes or deletes rows has a condition")
    func conditions() throws {
        let sources = SourceTree.ofThisPackage.root.appending(path: "Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        // Tests run those of FarewellTesting, in tables of their own.
        for name in names where !name.hasPrefix("FarewellTesting/") {
            let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            for call in text.matches(of: #/SQLStatement\(\s*"((?:UPDATE|DELETE FROM) [^"]*)"\s*[,)]/#) {
                #expect(call.1.contains(" WHERE "), "\(name): \(call.1)")
            }
        }
    }
}
