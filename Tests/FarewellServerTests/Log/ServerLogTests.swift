// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import Logging
import Testing

@Suite("Lines of the log")
struct ServerLogTests {
    private func lines(_ format: ServerLog.Format, _ use: (Logger) -> Void) -> [String] {
        let written = Guarded<[String]>([])
        let logger = Logger(label: "test") { _ in
            ServerLog(format, level: .info, now: { Date(timeIntervalSince1970: 0) }) { line in
                written.withLock { $0.append(line) }
            }
        }
        use(logger)
        return written.withLock { $0 }
    }

    @Test("Item 54: one event is one line, whatever its text", arguments: ServerLog.Format.allCases)
    func injection(_ format: ServerLog.Format) {
        let hostile = "a\r\nforged\u{1B}[31m\u{202E}\u{2028}"
        let lines = lines(format) { $0.info("\(hostile)", metadata: ["key": "\(hostile)", "time": "other"]) }
        #expect(lines.count == 1)
        #expect(lines.first?.filter(\.isNewline).count == 1 || format == .json)
        #expect(lines.first?.dropLast().contains("\n") == false && lines.first?.contains("\u{1B}") == false)
    }

    @Test("a line of JSON is an object with time, level, message and its fields")
    func json() throws {
        let lines = lines(.json) { $0.warning("gone", metadata: ["request": "r1"]) }
        let object = try JSONSerialization.jsonObject(with: Data(try #require(lines.first).utf8)) as? [String: String]
        #expect(object?["level"] == "warning" && object?["message"] == "gone" && object?["request"] == "r1")
        #expect(object?["time"]?.hasPrefix("1970-01-01T00:00:00") == true)
    }

    @Test("entries below the level are not written")
    func level() {
        #expect(lines(.text) { $0.debug("nothing") }.isEmpty)
    }
}
