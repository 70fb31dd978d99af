// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads every version of every object below the subject's prefix. Delete markers and uploads in progress have no
/// contents that S3 returns. An object that exists and cannot be read is begun and not ended, so that the sink leaves
/// it out and the others are read.
extension S3Connector: ReadingConnector {
    private static let piece = RangedReading.piece

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var found = 0
        for name in request.names {
            let prefix = try location.prefix(of: name, in: bucket.system)
            var marker: S3Marker?
            repeat {
                let page = try await bucket.list(.version, below: prefix, after: marker)
                let own = own(page.entries, prefix)
                found += own.count
                for entry in own { try await read(entry, into: sink) }
                marker = page.next
            } while marker != nil
        }
        try await conclude(found, request)
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    private func read(_ entry: S3Entry, into sink: any ConnectorSink) async throws {
        if let mark = entry.mark, try sink.takeOver(entry.key, marked: mark) { return }
        var offset = 0
        var mark: String?
        var answers: Set<Int> = [400, 403, 404, 405, 412, 416]
        while true {
            // An object without versions may be overwritten between two pieces.
            let condition = mark.map { [("if-match", $0)] } ?? []
            let reply = try await bucket.send(
                "GET", key: entry.key, query: entry.selector,
                headers: [("range", "bytes=\(offset)-\(offset + Self.piece - 1)")] + condition, answers: answers,
                permission: entry.readingRight, limit: Self.piece)
            switch (reply.status, offset) {
            case (400, _), (403, _):
                if Self.isUnreadable(reply) {
                    if offset == 0 { try sink.begin(entry.key) }
                    return
                }
                // Asked once more for the fault, after which refused credentials are renewed.
                answers.subtract([400, 403])
            case (404, 0), (405, 0): return  // A delete marker, or gone since it was listed.
            case (416, 0):
                try sink.begin(entry.key)
                return try sink.end()
            case (200, 0):
                // The server does not know ranges, and the object is not longer than a piece.
                try sink.begin(entry.key)
                try sink.add(reply.body)
                return try end(entry, reply, sink)
            case (206, _):
                guard let total = reply.totalOfRange, !reply.body.isEmpty, offset + reply.body.count <= total else {
                    throw ConnectorFault.garbled(bucket.system, "a part of an object without its size")
                }
                if offset == 0 {
                    try sink.begin(entry.key)
                    mark = Self.mark(reply)
                }
                try sink.add(reply.body)
                offset += reply.body.count
                if offset == total { return try end(entry, reply, sink) }
            default: throw ConnectorFault.passing(bucket.system, "an object changed or disappeared while it was read")
            }
        }
    }

    /// Ends an object, with its mark if it still has the entity tag of the list.
    private func end(_ entry: S3Entry, _ reply: SystemReply, _ sink: any ConnectorSink) throws {
        guard let mark = entry.mark, RangedReading.isSame(reply.headers["etag"], entry.tag) else {
            return try sink.end()
        }
        try sink.end(marked: mark)
    }

    /// Whether it is this object alone that cannot be read: it is archived (`InvalidObjectState`), or its key is not
    /// there, not usable or not accessible. Only the message shows that the right to a key is lacking.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    private static func isUnreadable(_ reply: SystemReply) -> Bool {
        let code = S3Bucket.words(of: reply).code
        if code.isByteEqual(to: "InvalidObjectState") || code.hasBytePrefix("KMS.") { return true }
        guard code.isByteEqual(to: "AccessDenied") else { return false }
        return (try? XMLText.read(reply.body, from: ""))?["Message"]?.text.containsBytes("kms:") ?? false
    }

    /// The identifier of an object's contents: a strong entity tag, as `If-Match` takes it (RFC 9110).
    private static func mark(_ reply: SystemReply) -> String? {
        guard let tag = reply.headers["etag"], tag.hasBytePrefix("\""), tag.utf8.count <= 200,
            tag.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        return tag
    }
}
