// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// How far the receipts of a state directory have been compared with the database: `receipts.json` beside the folder.
///
/// It only saves work. If it is missing or does not fit, everything is compared.
struct ReceiptMark: Codable {
    /// The audit log's newest entry at the time. Of another database, or of a restored one, it is no entry.
    let head: AuditHead
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

    /// The mark of a state directory; `nil` if there is none that can be used.
    static func read(in state: String) -> ReceiptMark? {
        guard let file = FileHandle(forReadingAtPath: state + "/" + name),
            let data = try? file.read(upToCount: 1 << 12), let mark = try? JSONDecoder().decode(Self.self, from: data),
            mark.boot == boot
        else { return nil }
        return mark
    }

    static func remove(in state: String) { unlink(state + "/" + name) }

    /// Without room for it everything is compared again the next time.
    func write(in state: String) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        _ = PrivateFile(folder: state, name: Self.name).replace(with: String(decoding: data, as: UTF8.self))
    }
}
