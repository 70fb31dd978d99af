// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// An operator's reason for a hold, without the white space around it.
struct HoldReason: Sendable {
    let text: String

    /// In characters.
    private static let longest = 1_000

    /// - Throws: `erasure.malformed` for a text that is empty, too long, or that no database stores.
    init(_ written: String) throws(FarewellError) {
        let text = written.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw Self.malformed("The reason is empty.") }
        let count = text.count
        guard count <= Self.longest else { throw Self.malformed("The reason has \(count) characters.") }
        guard !text.utf8.contains(0) else { throw Self.malformed("The reason contains the character U+0000.") }
        self.text = text
    }

    private static func malformed(_ message: String) -> FarewellError {
        FarewellError("erasure.malformed", .yoursToFix, message, remedy: "Write 1 to \(longest) characters of text.")
    }
}
