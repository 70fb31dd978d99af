// SPDX-License-Identifier: Apache-2.0

import Farewell
import NIOCore

/// The body of a request, read when a route first asks for it.
///
/// A route that needs a token checks the token first, so that nothing is buffered for a caller without one. An unread
/// body is not kept.
final class CallBody: Sendable {
    private struct State: Sendable {
        var isRead = false
        var bytes = ByteBuffer()
    }

    private let collect: @Sendable () async throws -> ByteBuffer
    private let state = Guarded(State())

    /// - Parameter collect: Reads the whole body, within its limit. Called at most once.
    init(collect: @escaping @Sendable () async throws -> ByteBuffer) { self.collect = collect }

    /// The part read so far: the whole body on a route that needs no token (`Route.readsBodyFirst`).
    var here: ByteBuffer { state.withLock { $0.bytes } }

    /// Whether anything has begun to read it.
    var isRead: Bool { state.withLock { $0.isRead } }

    /// The whole body.
    ///
    /// - Throws: `auth.request_entity_too_large`.
    @discardableResult
    func bytes() async throws -> ByteBuffer {
        let isFirst = state.withLock { state in
            defer { state.isRead = true }
            return !state.isRead
        }
        guard isFirst else { return here }
        let bytes = try await collect()
        state.withLock { $0.bytes = bytes }
        return bytes
    }
}
