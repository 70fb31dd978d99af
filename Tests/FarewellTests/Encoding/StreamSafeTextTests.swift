// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Farewell

@Suite("Runs of combining marks")
struct StreamSafeTextTests {
    /// How a text begins once it is decomposed, by the system's own tables.
    private func beginsWithMark(_ scalar: Unicode.Scalar) -> Bool {
        let decomposed = String(Character(scalar)).decomposedStringWithCanonicalMapping
        return decomposed.unicodeScalars.first?.properties.canonicalCombiningClass != .notReordered
    }

    @Test("SC-2 the characters that count as marks are those that canonical decomposition sorts, for every character of Unicode")
    func marks() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
            // Asking the system is slow, and most characters are no marks either way.
            guard StreamSafeText.isMark(scalar) || scalar.properties.generalCategory == .nonspacingMark else { continue }
            #expect(StreamSafeText.isMark(scalar) == beginsWithMark(scalar), "\(String(value, radix: 16))")
        }
        for value in [0x344, 0xF73, 0xF75, 0xF81] as [UInt32] {
            #expect(Unicode.Scalar(value).map(StreamSafeText.isMark) == true)
        }
    }

    /// The longest run, counted the slow way.
    private func longestRun(_ text: String) -> Int {
        var (longest, run) = (0, 0)
        for scalar in text.unicodeScalars {
            run = StreamSafeText.isMark(scalar) ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    @Test("SC-2 random bytes and random text get the same verdict as a count of their scalars")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let parts = ["a", "\u{301}", "\u{327}", "\u{F73}", "\u{1D165}", "\u{E9}", "\u{4E2D}", "\u{1F469}", "\u{34F}", "\u{200D}"]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...60, using: &generator) {
                let isMark = Int.random(in: 0..<20, using: &generator) > 0
                bytes += Array((isMark ? parts[1...4] : parts[...]).randomElement(using: &generator)?.utf8 ?? "".utf8)
            }
            if Bool.random(using: &generator), !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.isStreamSafe == (longestRun(text) <= 30))
            // Bytes that are no UTF-8 may only be judged more strictly than the text they become.
            if bytes.isStreamSafe { #expect(text.isStreamSafe) }
            #expect(text[...].isStreamSafe == text.isStreamSafe)
        }
    }

    @Test("SC-2 separating runs makes any text safe, leaves safe text unchanged, and removes nothing")
    func separated() {
        for count in [0, 1, 30, 31, 60, 61, 1_000] {
            let text = "e" + String(repeating: "\u{301}", count: count) + "x"
            let safe = text.streamSafe
            #expect(safe.isStreamSafe)
            #expect(safe.unicodeScalars.filter { $0 != StreamSafeText.joiner }.elementsEqual(text.unicodeScalars))
            if count <= 30 { #expect(ExactText(safe) == ExactText(text)) }
        }
        let flags = String(repeating: "\u{1F1E9}\u{1F1EA}", count: 128)
        #expect(flags.isStreamSafe && !(flags + flags).isStreamSafe && (flags + flags).streamSafe.isStreamSafe)
        #expect((flags + " " + flags).isStreamSafe && Array((flags + " " + flags).utf8).isStreamSafe)
        let name = String(repeating: "\u{301}", count: 700)
        #expect(ExactText(name.boundedIdentifier) == ExactText(name))
        #expect((name + name).boundedIdentifier.isStreamSafe)
    }

    @Test("SC-2 names of members are limited, marks are refused or separated, and other text is read as before")
    func json() throws {
        let marks = String(repeating: "\u{301}", count: 31)
        func value(_ text: String, _ marks: StrictJSON.Marks = .refused) throws -> JSONValue {
            try StrictJSON.value(Array(text.utf8), marks: marks)
        }
        #expect(throws: StrictJSON.Fault.marks) { try value("{\"a\(marks)\":1}") }
        #expect(throws: StrictJSON.Fault.marks) { try value("[\"a\(marks)\"]") }
        let escaped = String(repeating: #"\u0301\u0327"#, count: 16)
        #expect(throws: StrictJSON.Fault.marks) { try value("{\"a\(escaped)\":1}") }
        let long = String(repeating: "n", count: 257)
        #expect(throws: StrictJSON.Fault.name) { try value("{\"\(long)\":1}") }
        #expect(try value("{\"\(long.dropLast())\":1}").object?.count == 1)
        #expect(try value("{\"\(long)\":1}", .separated)[long] == 1)
        let kept = try #require(try value("[\"a\(marks)\"]", .separated).array?.first?.string)
        #expect(ExactText(kept) == ExactText("a" + marks))
        let zalgo = String(repeating: "e\u{301}\u{327}", count: 1_000)
        #expect(try value("[\"\(zalgo)\"]").array?.first?.string == zalgo)
    }

    @Test("SC-2 the system's JSON reader receives no text that it would read slowly")
    func screening() {
        let marks = String(repeating: "\u{301}\u{327}", count: 16)
        let escaped = String(repeating: #"\u0301\u0327"#, count: 16)
        func isRead(_ text: String, _ encoding: String.Encoding = .utf8) -> Bool {
            (try? CanonicalJSON.value(JSONValue.self, from: text.data(using: encoding) ?? Data())) != nil
        }
        #expect(isRead(#"{"a":"b","c" : ["\u00e9\ud83d\ude00"], "\u00e9":{}}"#))
        #expect(isRead("[\"\(marks)\"]"))
        for name in [marks, escaped, "a" + escaped] {
            #expect(!isRead("{\"\(name)\":1}"))
            #expect(!isRead("[{\"a\":[{\"\(name)\" \n:1}]}]"))
        }
        #expect(!isRead("{\"a\":1}", .utf16LittleEndian) && !isRead("{\"a\":1}", .utf16))
        #expect(!isRead("[\"\(String(repeating: marks, count: 100))\"]"))
        #expect(!isRead("[\"\(String(repeating: escaped, count: 100))\"]"))
    }
}
