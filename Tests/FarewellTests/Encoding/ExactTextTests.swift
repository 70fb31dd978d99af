// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Farewell

@Suite("Text, compared by its bytes")
struct ExactTextTests {
    private static let alike = [("K", "\u{212A}"), ("\u{E9}", "e\u{301}"), (";", "\u{37E}"), ("a\u{E9}", "ae\u{301}")]

    @Test("SC-2 letters that Unicode takes for others are others, in texts, lists and keys", arguments: alike)
    func exact(one: String, other: String) {
        #expect(one == other, "to Swift they are the same")
        #expect(one.isExactly(one) && !one.isExactly(other) && !other.isExactly(one))
        #expect([one].containsExactly(one) && ![one].containsExactly(other) && !Set([one]).containsExactly(other))
        #expect([one: 1][exactly: one] == 1 && [one: 1][exactly: other] == nil && [one: 1][exactly: "x"] == nil)
        #expect(Set([ExactText(one), ExactText(other)]).count == 2)
    }

    @Test("texts are equal only if their lengths and all their bytes are")
    func bytes() {
        let long = String(repeating: "abc", count: 100)
        for (one, other, isSame) in [
            ("", "", true), ("", "a", false), ("a", "b", false), (long, long + "", true), (long, long + "a", false),
            (long + "a", long + "b", false), ("a\u{0}b", "a\u{0}c", false),
        ] {
            #expect(one.isExactly(other) == isSame && (ExactText(one) == ExactText(other)) == isSame)
        }
    }

    @Test("a text is divided at the first of a character, whatever is composed with it")
    func divided() {
        let point = UInt8(ascii: ".")
        func parts(_ text: String) -> [String]? { text.divided(at: point).map { [String($0.before), String($0.after)] } }
        #expect(parts("a.b.c") == ["a", "b.c"] && parts(".") == ["", ""] && parts("a.") == ["a", ""] && parts("ab") == nil)
        #expect(parts("a.\u{301}b").map { $0.map { Array($0.utf8) } } == [Array("a".utf8), Array("\u{301}b".utf8)])
        #expect("x.a.b".divided(at: point)?.after.divided(at: point)?.after == "b")
    }
}
