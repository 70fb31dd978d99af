// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Takes a stream of server-sent events apart, however its bytes are cut (WHATWG HTML, section 9.2.6).
struct EventStreamReader: Sendable {
    /// A line, or the data of an event, beyond `EventStreamReader.longest`.
    struct TooLong: Error {}

    static let longest = 64 << 10

    private var line: [UInt8] = []
    private var endsInReturn = false
    private var event = ServerSentEvent()
    private var hasData = false

    /// The events that these bytes complete. Comments and unknown fields are passed over.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            defer { endsInReturn = byte == 0x0d }
            if byte == 0x0a, endsInReturn { continue }
            guard byte == 0x0a || byte == 0x0d else {
                guard line.count < Self.longest else { throw TooLong() }
                line.append(byte)
                continue
            }
            if let finished = try take(String(decoding: line, as: UTF8.self).streamSafe) { events.append(finished) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// A whole line; the event that it ends.
    private mutating func take(_ line: String) throws(TooLong) -> ServerSentEvent? {
        if line.isEmpty {
            defer {
                event = ServerSentEvent(id: event.id)
                hasData = false
            }
            return hasData ? event : nil
        }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count == 2 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "event": event.name = String(value)
        case "id": if !value.utf8.contains(0) { event.id = String(value) }
        case "data":
            guard event.data.utf8.count + value.utf8.count < Self.longest else { throw TooLong() }
            event.data += hasData ? "\n" + value : value
            hasData = true
        default: break
        }
        return nil
    }
}
