// SPDX-License-Identifier: Apache-2.0

import FarewellClient
import Foundation

/// A receipt as files that a user can share: signed, and to read. They hold nothing personal.
struct ReceiptFiles {
    /// Where files are made.
    let folder: URL

    /// - Returns: The files that could be written; a receipt that cannot be kept undoes no deletion.
    func make(_ receipt: DeletionReceipt, number: String) -> [URL] {
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
