// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import Foundation

/// How far the receipts of a state directory have been compared with the database: `receipts.json` beside the folder.
///
/// For receipts it only saves work: if it is missing or does not fit, everything is compared. For `doctor` it remembers
/// the end of the audit log, also across restarts of the machine.
struct ReceiptMark: Codable {
    /// The audit log's newest entry at the time. Of another database, or of a restored one, it is no entry.
    let head: AuditHead
    /// The audit log's first entry at the time, which distinguishes databases; unknown in marks of earlier versions.
    var first: AuditHead?
    /// An entry that was the newest once, and was no longer in the log at the time.
    var missing: AuditHead?
    /// How many receipts the folder had.
    let files: Int
    /// When a file of the folder was last added or removed.
    let changedAt: String?
    /// When the newest of them last changed, as far as they are few enough to look at each time.
    var newestChange: String?
    /// When the machine was last started: files written shortly before may have been lost.
    let boot: String

    static let name = "receipts.json"

    /// The start of this machine as the system names it; always the same if the system does not report it.
    static var boot: String { LiveWorld.bootName ?? "" }

    /// The mark of a state directory; `nil` if there is none whose receipts need not be compared again.
    static func read(in state: String) -> ReceiptMark? {
        stored(in: state).flatMap { $0.boot == boot ? $0 : nil }
    }

    /// The mark of a state directory, also from before the machine was last started.
    static func stored(in state: String) -> ReceiptMark? {
        // Anything but a file, such as a pipe, could block.
        guard let bytes = try? OrdinaryFile.read(state + "/" + name, limit: 1 << 12) else { return nil }
        return try? JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    /// An entry that the audit log once ended with and no longer has; `nil` if it has all that are remembered, or is
    /// the log of another database.
    func missingEntry(in archive: ErasureArchive) async throws -> AuditHead? {
        if let first, let present = try await archive.auditHead(at: first.sequence), present != first { return nil }
        for seen in [missing, head].compactMap(\.self) {
            let isThere = try await archive.hasAuditEntry(seen)
            if !isThere { return seen }
        }
        return nil
    }

    static func remove(in state: String) { unlink(state + "/" + name) }

    /// Without room for it everything is compared again the next time.
    func write(in state: String) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        _ = PrivateFile(folder: state, name: Self.name).replace(with: String(decoding: data, as: UTF8.self))
    }
}
