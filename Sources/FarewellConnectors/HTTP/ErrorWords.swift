// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The parts of a system's error: its code, which may be shown; its sentence, which may name a user and is never shown;
/// a date, region or link out of it; and the pause that it asks for.
package struct ErrorWords: Sendable, Hashable {
    package var code = ""
    package var message = ""
    package var detail: String?
    /// Seconds; `nil` if the error names no pause, and `Retry-After` counts.
    package var pause: Double?
    /// The status that the error itself names, if the answer's own says less; `nil` if the answer's counts.
    package var status: Int?
    /// Whether it is the stored answer to an earlier request of the same idempotency key.
    package var isRepeated = false
    private static let longest = 86_400.0

    package init(code: String = "", message: String = "", detail: String? = nil, pause: Double? = nil) {
        // A code is a word; any other text may be about the subject.
        let isWord =
            code.utf8.count <= 100
            && code.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
        self.code = isWord ? code : ""
        self.message = message
        self.detail = detail
        self.pause = pause.flatMap { $0 >= 0 ? min($0, Self.longest) : nil }
    }
}
