// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The connection that a call came by.
struct CallerConnection: Sendable {
    let channel: any Channel

    /// Ends it for reading: further input is not read.
    func stopReading() { channel.close(mode: .input, promise: nil) }

    /// Tells a caller who waits for it to send the body (RFC 9110, 10.1.1).
    func askForBody() { channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil) }

    /// Returns when the caller has closed the connection, if only for sending, and when the task is cancelled.
    func untilGone() async {
        let channel = channel
        let watch = channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ConnectionWatch.self).presence
        }
        // A connection that has ended has no handlers left.
        guard let presence = try? await watch.get() else { return }
        for await _ in presence.absence {}
    }
}
