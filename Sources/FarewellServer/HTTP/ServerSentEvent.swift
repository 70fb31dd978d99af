// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import NIOCore

/// The parts of a stream of server-sent events (WHATWG HTML, 9.2).
enum ServerSentEvent {
    /// The header fields of a stream.
    static let fields: HTTPFields = [
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-cache", .accelBuffering: "no",
    ]

    /// A comment, so that both sides notice a lost connection.
    static let heartbeat = ByteBuffer(string: ": beat\n\n")

    /// One event. JSON has no line breaks outside of texts and escapes those inside, so that its data is one line.
    static func text(
        named name: String? = nil, id: String? = nil, _ data: some Encodable
    ) throws -> String {
        let lines = [
            id.map { "id: \($0)" }, name.map { "event: \($0)" }, "data: \(try CanonicalJSON.text(data))",
        ]
        return lines.compactMap(\.self).joined(separator: "\n") + "\n\n"
    }
}
