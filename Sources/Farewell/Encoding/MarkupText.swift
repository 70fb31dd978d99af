// SPDX-License-Identifier: Apache-2.0

/// Text in HTML and in XML 1.0.
package enum MarkupText {
    /// Text for element content and for quoted attributes. Line breaks and tabs are numbered, because readers of XML
    /// change them in attributes (3.3.3); U+FFFD stands for what a document cannot hold.
    package static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;".unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case ">": escaped += "&gt;".unicodeScalars
            case "\"": escaped += "&quot;".unicodeScalars
            case "'", "\t", "\n", "\r": escaped += "&#\(scalar.value);".unicodeScalars
            default: escaped.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(escaped)
    }

    /// Whether a document can hold all of a text ("Extensible Markup Language (XML) 1.0", 2.2, Characters).
    package static func canHold(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isAllowed) }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
