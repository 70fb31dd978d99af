// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The parsing of Swift source")
struct SwiftTextTests {
    @Test("comments and literals are removed from the code, and the lines keep their positions")
    func parts() {
        let text = SwiftText("let a = \"try! b\"  // try! c\n/* x /* try! */ y */ let d = 1\nlet e = try! f()\n")
        #expect(text.code.places(of: "try!") == [3])
        #expect(text.code.places(of: "let") == [1, 2, 3])
        #expect(text.literals.map(\.text) == ["try! b"])
    }

    @Test("an interpolation counts as code, whatever its content")
    func interpolation() {
        let text = SwiftText(#"let a = "one \(f("two (")) three" + call()"#)
        #expect(text.literals.map(\.text) == ["one … three", "two ("])
        #expect(text.code.places(of: "call()") == [1])
        #expect(text.code.places(of: "three").isEmpty)
        #expect(text.code.places(of: "f(") == [1])
    }

    @Test("raw and multi-line literals end at their own delimiters")
    func raw() {
        let text = SwiftText("let a = #\"say \"hi\" \\(no)\"#\nlet b = \"\"\"\n  \"two\"\n  \"\"\"\nlet c = 1\n")
        #expect(text.literals.map(\.text) == [#"say "hi" \(no)"#, "\n  \"two\"\n  "])
        #expect(text.literals.map(\.line) == [1, 2])
        #expect(text.code.places(of: "let c") == [5])
    }

    @Test("an unfinished literal ends with its line, and unfinished text ends the scan")
    func unfinished() {
        #expect(SwiftText("let a = \"open\nlet b = 1").code.places(of: "let b") == [2])
        #expect(SwiftText("/* open").literals.isEmpty)
        #expect(SwiftText("\"\\").literals.count == 1)
        #expect(SwiftText("").code.isEmpty)
    }

    @Test("a phrase is found as whole words, not inside longer ones")
    func words() {
        #expect("stubborn stub".places(of: "stub") == [1])
        #expect("struct Receipts\nstruct Receipt".places(of: "struct Receipt") == [2])
        #expect("Date() aDate()\n Date()".places(of: "Date()") == [1, 2])
        #expect("x.sleep()".places(of: ".sleep(") == [1])
        #expect("".places(of: "a").isEmpty)
    }
}
