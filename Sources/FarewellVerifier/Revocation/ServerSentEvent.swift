// SPDX-License-Identifier: Apache-2.0

/// One event of a stream of server-sent events.
struct ServerSentEvent: Sendable, Hashable {
    /// The server's name of the event; `message` by default.
    var name = "message"
    var data = ""
    /// The cursor after this event: the last `id` seen so far.
    var id: String?
}
