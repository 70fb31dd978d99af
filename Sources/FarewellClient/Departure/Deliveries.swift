// SPDX-License-Identifier: Apache-2.0

/// Messages on their way to the server.
struct Deliveries: Sendable {
    /// By the messages' identifiers; the value is whether the server has received the message, and the outbox no
    /// longer holds it.
    let tasks: [String: Task<Bool, Never>]
    /// Whether these are all messages that can be delivered; false if the outbox cannot be read.
    let isComplete: Bool

    /// Whether the server has received all messages; waits for the outcome of each.
    var areReceived: Bool {
        get async {
            var areReceived = isComplete
            for task in tasks.values {
                let isReceived = await task.value
                areReceived = areReceived && isReceived
            }
            return areReceived
        }
    }

    /// Whether the server has received this message; waits for no other one. Without an identifier: all messages.
    func isReceived(_ id: String?) async -> Bool {
        guard let id else { return await areReceived }
        // A message that is not there any more has been delivered, perhaps by another process.
        guard let task = tasks[id] else { return isComplete }
        return await task.value
    }
}
