// SPDX-License-Identifier: Apache-2.0
import FarewellPlan
import Foundation
import Testing

@Suite("Keys as they are sealed")
struct StoredValueCodingTests {
    private static let values: [StoredValue] = [
        .integer(.min), .integer(0), .text(""), .text("tea"), .text("\u{301}é\u{0}😀"), .text(#"{"uuid":1}"#),
        .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))), .bytes([]), .bytes([0, 255, 10]),
    ]

    @Test("a key is read as it was written, as an object and in short, whatever it contains")
    func both() throws {
        let short = JSONEncoder()
        short.userInfo[try #require(StoredValue.shortForm)] = true
        let (long, brief) = (try JSONEncoder().encode(Self.values), try short.encode(Self.values))
        #expect(try JSONDecoder().decode([StoredValue].self, from: long) == Self.values)
        #expect(try JSONDecoder().decode([StoredValue].self, from: brief) == Self.values)
        #expect(brief.count < long.count)
        let rows: [[StoredValue?]] = [[nil, .integer(4)], []]
        #expect(try JSONDecoder().decode([[StoredValue?]].self, from: try short.encode(rows)) == rows)
    }

    @Test("PK-2 the form of earlier releases stays as it was, and is read")
    func earlier() throws {
        let text =
            #"[{"integer":{"_0":-5}},{"text":{"_0":"a"}},{"bytes":{"_0":[0,255]}},"#
            + #"{"uuid":{"_0":"01020304-0506-0708-090A-0B0C0D0E0FFF"}}]"#
        let read = try JSONDecoder().decode([StoredValue].self, from: Data(text.utf8))
        #expect(read == [.integer(-5), .text("a"), .bytes([0, 255]), Self.values[6]])
        #expect(String(decoding: try JSONEncoder().encode(read), as: UTF8.self) == text)
    }

    @Test("a text that is no key is refused", arguments: ["", "i", "ix", "u1", "b*", "x1"])
    func refused(_ text: String) throws {
        let sealed = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([StoredValue].self, from: sealed) }
    }
}
