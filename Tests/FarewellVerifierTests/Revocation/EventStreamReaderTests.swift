// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FarewellVerifier

@Suite("Parsed server-sent events")
struct EventStreamReaderTests {
    static let stream = """
        : heartbeat

        id: 7
        data: one

        event: current
        data:two
        data: three
        id

        data

        retry: 10
        unknown: x

        id: 8
        data:  spaced

        data: unfinished
        """
    static let events = [
        ServerSentEvent(data: "one", id: "7"), ServerSentEvent(name: "current", data: "two\nthree", id: ""),
        ServerSentEvent(data: "", id: ""), ServerSentEvent(data: " spaced", id: "8"),
    ]

    @Test("events are the same for any split of the bytes and any line ends", arguments: ["\n", "\r\n", "\r"])
    func cuts(lineEnd: String) throws {
        let bytes = Array(Self.stream.replacing("\n", with: lineEnd).utf8)
        for size in [1, 2, 3, 7, bytes.count] {
            var reader = EventStreamReader()
            var events: [ServerSentEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += try reader.read(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(events == Self.events, "cut by \(size)")
        }
    }

    @Test("an endless line and an endless event are faults, and do not fill the memory")
    func bounds() {
        var reader = EventStreamReader()
        #expect(throws: EventStreamReader.TooLong.self) { try reader.read([UInt8](repeating: 0x61, count: 1 << 20)) }
        var lines = EventStreamReader()
        #expect(throws: EventStreamReader.TooLong.self) {
            try lines.read(Array(String(repeating: "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", count: 3000).utf8))
        }
    }
}
