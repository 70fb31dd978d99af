// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads an object piece by piece, by ranges (RFC 9110, section 14), so that memory does not grow with its size.
struct RangedReading: Sendable {
    /// How many bytes one call reads.
    static let piece = 4 << 20
    let system: String

    /// A state of an object's contents.
    struct Mark: Sendable {
        /// Differs where the contents differ.
        let text: String
        /// The entity tag that the answers must have; `nil` if the request names the state.
        let tag: String?
    }

    /// Whether two entity tags are equal; some services omit the quotes.
    static func isSame(_ tag: String?, _ other: String?) -> Bool {
        guard let tag, let other else { return false }
        let quote = UInt8(ascii: "\"")
        return tag.utf8.filter { $0 != quote } == other.utf8.filter { $0 != quote }
    }

    /// - Parameters:
    ///   - state: The object's contents as they were listed; an interrupted export may have read them.
    ///   - ask: Sends the value of `Range`; an answer has status 200, 206 or 416. `nil` if the object cannot be read.
    /// - Returns: Whether the sink has the object.
    /// - Throws: `ConnectorFault` if it changes or disappears meanwhile.
    func read(
        _ name: String, marked state: Mark? = nil, into sink: any ConnectorSink,
        _ ask: (_ range: String) async throws -> SystemReply?
    ) async throws -> Bool {
        if let state, try sink.takeOver(name, marked: state.text) { return true }
        var offset = 0
        var mark: String?
        while let reply = try await ask("bytes=\(offset)-\(offset + Self.piece - 1)") {
            switch (reply.status, offset) {
            case (416, 0), (200, 0):
                // The object is empty, or the server does not support ranges and the object is not longer than a piece.
                try sink.begin(name)
                if reply.status == 200 { try sink.add(reply.body) }
                try end(state, reply, sink)
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
                    try end(state, reply, sink)
                    return true
                }
            default: throw changed
            }
        }
        guard offset == 0 else { throw changed }
        return false
    }

    private func end(_ mark: Mark?, _ reply: SystemReply, _ sink: any ConnectorSink) throws {
        guard let mark, mark.tag == nil || Self.isSame(reply.headers["etag"], mark.tag) else { return try sink.end() }
        try sink.end(marked: mark.text)
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
