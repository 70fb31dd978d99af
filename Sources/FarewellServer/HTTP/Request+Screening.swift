// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Hummingbird

extension Request {
    /// Whether no header field, and nothing in the path or the query, holds a long run of combining marks, written out
    /// or in percent encoding. Asked before anything compares or hashes them (`StreamSafeText`).
    var isStreamSafe: Bool {
        let hasSafeFields = headers.allSatisfy { field in field.withUnsafeBytesOfValue { StreamSafeText.isSafe($0) } }
        return hasSafeFields && Self.isStreamSafe(target: head.path ?? "")
    }

    /// The same request without the header fields that hold such a run.
    var screened: Request {
        guard !isStreamSafe else { return self }
        var head = head
        head.headerFields = HTTPFields(
            headers.filter { field in field.withUnsafeBytesOfValue { StreamSafeText.isSafe($0) } })
        return Request(head: head, body: body)
    }

    private static func isStreamSafe(target: String) -> Bool {
        guard target.isStreamSafe else { return false }
        guard target.utf8.contains(UInt8(ascii: "%")) else { return true }
        return FormFields.plain(target.utf8).isStreamSafe
    }
}
