// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The rules of the audit log: how the next entry is made, and whether a series of entries is whole.
package enum AuditChain {
    /// The predecessor of the first entry.
    package static let beginning = String(repeating: "0", count: 64)

    /// The entry after `last` (`nil` for the first). Times are kept to the millisecond.
    ///
    /// Text that could be an address or could forge a line is replaced by `withheld`: the log cannot be erased,
    /// so nothing doubtful may enter it.
    ///
    /// - Throws: `audit.broken` after the greatest number there is, which only damage can have written.
    package static func entry(
        after last: AuditHead?, at: Date, actor: String, act: String, run: UUID? = nil, subject: SubjectHash? = nil,
        details: [String: String] = [:]
    ) throws -> AuditEntry {
        let (sequence, isSpent) = (last?.sequence ?? 0).addingReportingOverflow(1)
        guard !isSpent else {
            throw FarewellError(
                "audit.broken", .yoursToFix,
                "The audit log was changed: no entry can follow its last one.",
                remedy: "Compare it with a back-up or an export.")
        }
        let cleaned = details.sorted { $0.key < $1.key }.map { (Self.safe($0.key), Self.safe($0.value)) }
        let open = AuditEntry(
            sequence: sequence, at: UTCTime.rounded(at), actor: Self.safe(actor), act: Self.safe(act),
            run: run, subject: subject, details: Dictionary(cleaned, uniquingKeysWith: { first, _ in first }),
            previous: last?.hash ?? beginning, hash: "")
        return AuditEntry(
            sequence: open.sequence, at: open.at, actor: open.actor, act: open.act, run: open.run,
            subject: open.subject, details: open.details, previous: open.previous, hash: try open.fittingHash())
    }

    /// Checks a whole log against the last head that was exported, if there is one.
    package static func verify(_ entries: some Sequence<AuditEntry>, head: AuditHead? = nil) -> AuditVerdict {
        var check = AuditCheck(head: head)
        for entry in entries {
            if let damage = check.take(entry) { return .broken(damage) }
        }
        return check.finish()
    }

    private static let longest = 256

    static func safe(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "@") }
        let doubtful =
            !isPlain
            && text.unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
                default: scalar == "@"
                }
            }
        return doubtful || text.utf8.count > longest ? "withheld" : text
    }
}
