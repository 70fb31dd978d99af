// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Farewell

@Suite("Words of commands")
struct ShellArgumentTests {
    @Test(
        "a word is what a shell reads as this text",
        arguments: [
            ("public.audit_log", "public.audit_log"), ("plans/my-app.yaml", "plans/my-app.yaml"), ("", "''"),
            ("a, b", "'a, b'"), (#""My Table""#, #"'"My Table"'"#), ("it's", #"'it'\''s'"#), ("'", #"''\'''"#),
            ("$HOME`ls`!*?~#&;|<>(){}[]", "'$HOME`ls`!*?~#&;|<>(){}[]'"), (#"a\b"#, #"'a\b'"#), ("größe", "'größe'"),
            ("a\nb\tc", #"$'a\nb\tc'"#), ("it's\n\\", #"$'it\'s\n\\'"#), ("\u{1b}[2J", #"$'\033[2J'"#),
            ("a\u{202e}b", #"$'a\342\200\256b'"#), ("\u{e000}", #"$'\356\200\200'"#),
        ])
    func words(text: String, word: String) {
        #expect(ShellArgument.word(text) == word)
        #expect(ShellArgument.option("--column", text) == "--column " + word)
    }

    @Test("a value that begins with a dash stays the value of its option")
    func dashes() {
        #expect(ShellArgument.option("--column", "-by") == "--column=-by")
        #expect(ShellArgument.option("--column", "--it's") == #"--column='--it'\''s'"#)
    }

    @Test("a word has no character that a terminal replaces, and a text that is too long is left out")
    func shown() {
        for scalar in (UInt32(1)..<0x3100).compactMap(Unicode.Scalar.init) {
            let word = ShellArgument.word("a\(scalar)")
            #expect(word.printable == word && Shown.line(word, limit: 100) == word)
        }
        #expect(ShellArgument.word(String(repeating: "a", count: ShellArgument.longest)).utf8.count == 500)
        #expect(ShellArgument.word(String(repeating: "a", count: ShellArgument.longest + 1)) == "…")
    }
}
