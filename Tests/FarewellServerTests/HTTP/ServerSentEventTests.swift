// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import Foundation
import Testing

@Suite("Server-sent events")
struct ServerSentEventTests {
    @Test("an event has one line of data, whatever its text, and keeps its meaning")
    func hostileText() throws {
        let text = "a\r\ndata: b\n\nevent: c\u{0}\u{2028}\u{85}\"\\"
        let event = try ServerSentEvent.text(named: "erasure", id: "7", ["x": text])
        let lines = event.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.count == 5 && lines[0] == "id: 7" && lines[1] == "event: erasure" && lines[3...] == ["", ""])
        #expect(!event.unicodeScalars.contains("\r"))
        let data = Data(lines[2].dropFirst("data: ".count).utf8)
        #expect(try JSONSerialization.jsonObject(with: data) as? [String: String] == ["x": text])
    }

    @Test("an event without a name and a number has neither line")
    func bare() throws {
        #expect(try ServerSentEvent.text(["a": 1]) == "data: {\"a\":1}\n\n")
    }
}
