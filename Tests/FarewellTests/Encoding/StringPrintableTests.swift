// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("Foreign text on a terminal")
struct StringPrintableTests {
    @Test("characters that move the cursor, end the line or reverse the text are replaced, and all others stay")
    func printable() {
        #expect("a\u{1B}[2Jb\r\n\u{7F}".printable == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect("\u{202E}x\u{2028}\u{2029}\u{200D}".printable == "\u{FFFD}x\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect("Zoë 👋 “日本”".printable == "Zoë 👋 “日本”")
    }
}
