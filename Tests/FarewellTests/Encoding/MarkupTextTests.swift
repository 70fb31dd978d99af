// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Text in HTML and XML")
struct MarkupTextTests {
    @Test("a character with a meaning in markup is written by its name or number")
    func escapes() {
        #expect(MarkupText.escaped("<a href=\"x\" b='y'>&amp;</a>") == "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;")
        #expect(MarkupText.escaped("a\tb\nc\rd") == "a&#9;b&#10;c&#13;d")
        #expect(MarkupText.escaped("a\u{0}b\u{1b}c\u{FFFE}é😀") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}é😀")
    }

    @Test("a reader of XML gets every text that a document can hold, as content and as an attribute")
    func readBack() throws {
        let scalars = (UInt32(1)..<0x300).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FFFD}", "\u{10FFFF}"]
        let text = "a" + String(String.UnicodeScalarView(scalars.filter { MarkupText.canHold(String($0)) })) + "]]>b"
        let reader = Reader()
        let parser = XMLParser(data: Data("<r a=\"\(MarkupText.escaped(text))\">\(MarkupText.escaped(text))</r>".utf8))
        parser.delegate = reader
        #expect(parser.parse())
        #expect(Array(reader.content.utf8) == Array(text.utf8) && Array(reader.attribute.utf8) == Array(text.utf8))
        #expect(!MarkupText.canHold("a\u{10}") && !MarkupText.canHold("\u{FFFF}") && MarkupText.canHold("a\r\n\tb"))
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var content = ""
        var attribute = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            attribute = attributes["a"] ?? ""
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { content += string }
    }
}
