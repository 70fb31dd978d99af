// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads an object piece by piece, by ranges (RFC 9110, section 14), so that memory does not grow with its size.
struct RangedReading: Sendable {
    /// How many bytes one call reads.
    static let piece = 4 << 20
    let system: String

    /// - Parameter ask: Sends the value of `Range`; an answer has status 200, 206 or 416. `nil` if the object cannot be
    ///   read.
    /// - Returns: Whether the sink has the object.
    /// - Throws: `ConnectorFault` if it changes or disappears meanwhile.
    func read(
        _ name: String, into sink: any ConnectorSink, _ ask: (_ range: String) async throws -> SystemReply?
    ) async throws -> Bool {
        var offset = 0
        var mark: String?
        while let reply = try await ask("bytes=\(offset)-\(offset + Self.piece - 1)") {
            switch (reply.status, offset) {
            case (416, 0), (200, 0):
                // It is empty; or the server does not know ranges, and it is not longer than a piece.
                try sink.begin(name)
                if reply.status == 200 { try sink.add(reply.body) }
                try sink.end()
                return true
            case (206, _):
                guard let total = reply.totalOfRange, !reply.body.isEmpty, offset + reply.body.count <= total else {
                    throw ConnectorFault.garbled(system, "a part of an object without its size")
                }
                if offset == 0 {
                    try sink.begin(name)
                    mark = reply.headers["etag"]
                }
                guard reply.headers["etag"] == mark else { throw changed }
                try sink.add(reply.body)
                offset += reply.body.count
                guard offset < total else {
                    try sink.end()
                    return true
                }
            default: throw changed
            }
        }
        guard offset == 0 else { throw changed }
        return false
    }

    private var changed: ConnectorFault {
        .passing(system, "an object changed or disappeared while it was read")
    }
}

extension SystemReply {
    /// The size of the whole in `Content-Range: bytes 0-99/1234`.
    var totalOfRange: Int? {
        headers["content-range"].flatMap { range in
            range.utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { Int(range[range.utf8.index(after: $0)...]) }
        }
    }
}
