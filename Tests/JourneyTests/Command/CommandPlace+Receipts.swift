// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import FarewellSample
import Foundation

extension CommandPlace {
    var receipts: URL { state.appendingPathComponent("receipts") }

    /// The names of the receipt files.
    func receiptFiles(in folder: URL? = nil) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: (folder ?? receipts).path)) ?? []
        return names.filter { $0.hasSuffix(".jws") }.sorted()
    }

    /// How many erasures the database calls done.
    func countDone() async throws -> Int {
        let erasures = dialect == .postgresql ? "farewell.erasures" : "farewell_erasures"
        return Int(try await query("SELECT count(*) FROM \(erasures) WHERE state = 'done'").first?.first?.integer ?? 0)
    }

    /// Writes a list of people for `--subjects-file`.
    func writeList(_ range: Range<Int>) throws -> String {
        let list = range.map { people.subjectKey(at: $0) + "\n" }.joined()
        try Data(list.utf8).write(to: folder.appendingPathComponent("leavers.txt"))
        return "leavers.txt"
    }

    /// Erases a person and answers the erasure's identifier.
    func eraseOne(_ subject: String) async throws -> String {
        let end = try await farewell("erase", "--subject", subject, "--yes", "--json")
        let outcomes = end.objects.last?["outcomes"] as? [[String: Any]]
        return outcomes?.first?["erasure"] as? String ?? "\(end)"
    }

    func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
