// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The audit log as JSON lines: one entry a line, for export and for a check elsewhere.
package enum AuditLines {
    /// Longer than any entry that Farewell writes.
    private static let longest = 1 << 18

    /// One entry with its line feed.
    package static func line(_ entry: AuditEntry) throws -> Data {
        try CanonicalJSON.data(entry) + Data("\n".utf8)
    }

    package static func data(_ entries: some Sequence<AuditEntry>) throws -> Data {
        try entries.reduce(into: Data()) { $0.append(try line($1)) }
    }

    /// Reads lines back. Throws `audit.malformed` with the number of the line. Says nothing about the chain.
    package static func entries(_ data: Data) throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            let entry = line.count <= longest ? try? CanonicalJSON.value(AuditEntry.self, from: Data(line)) : nil
            guard let entry else {
                throw FarewellError(
                    "audit.malformed", .yoursToFix, "Line \(index + 1) of the audit log is not an entry.",
                    remedy: "Export the log again; if the line is the same, the log was changed.")
            }
            entries.append(entry)
        }
        return entries
    }
}
