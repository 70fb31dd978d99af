// SPDX-License-Identifier: Apache-2.0

import Farewell
import NIOCore

/// Puts the parts of a body together, within a limit of bytes and of parts.
///
/// The parts are counted too, because a body in chunks of one byte (RFC 9112, 7.1) costs many times more than its
/// bytes.
struct BodyCollection {
    /// The most bytes.
    let limit: Int

    /// The number of parts that are accepted, however small they are.
    static let smallParts = 4_096
    /// Beyond that, the average size of the parts must be at least this, in bytes.
    static let partBytes = 16

    /// The whole body.
    ///
    /// - Throws: `auth.request_entity_too_large`; errors of `parts`.
    func collected<Parts: AsyncSequence>(_ parts: Parts) async throws -> ByteBuffer where Parts.Element == ByteBuffer {
        var whole = ByteBuffer()
        var count = 0
        for try await var part in parts {
            count += 1
            guard part.readableBytes <= limit - whole.readableBytes else { throw Self.tooLarge }
            guard count <= Self.smallParts + whole.readableBytes / Self.partBytes else { throw Self.tooManyParts }
            if count == 1 { whole = part } else { whole.writeBuffer(&part) }
        }
        return whole
    }

    static let tooLarge = FarewellError(
        "auth.request_entity_too_large", .yoursToFix, "Request body exceeds the maximum size")

    static let tooManyParts = FarewellError(
        "auth.request_entity_too_large", .yoursToFix, "Request body has too many small chunks",
        remedy: "Send it with its Content-Length, or in larger chunks.")
}
