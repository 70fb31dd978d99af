// SPDX-License-Identifier: Apache-2.0

import FarewellClient
import Foundation

/// A receipt as files that a user can share: signed, and to read. They hold nothing personal.
///
/// They are in a folder of this process. If the process ends before the user has dismissed the receipt, such as by a
/// kill, a later process of the app removes that folder.
struct ReceiptFiles {
    private let parent: URL
    private let folder: URL
    private static let prefix = "farewell-receipts."

    /// - Parameter parent: Where the folder of the process is made.
    init(in parent: URL, process: Int32 = ProcessNumber.own) {
        self.parent = parent
        folder = parent.appendingPathComponent("\(Self.prefix)\(process)", isDirectory: true)
    }

    /// Removes the files of processes that have ended.
    func removeLeft() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(Self.prefix) {
            guard let process = Int32(name.dropFirst(Self.prefix.count)), process > 0,
                !ProcessNumber.mayBeAlive(process)
            else { continue }
            try? FileManager.default.removeItem(at: parent.appendingPathComponent(name, isDirectory: true))
        }
    }

    /// - Returns: The files that could be written; a receipt that cannot be kept undoes no deletion.
    func make(_ receipt: DeletionReceipt, number: String) -> [URL] {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = "receipt-" + number.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        let contents = [("jws", receipt.signed), ("html", receipt.page)]
        return contents.compactMap { kind, text in
            let file = folder.appendingPathComponent(name).appendingPathExtension(kind)
            guard let text, (try? Data(text.utf8).write(to: file, options: .atomic)) != nil else { return nil }
            return file
        }
    }

    func remove(_ files: [URL]) {
        for file in files { try? FileManager.default.removeItem(at: file) }
    }
}
