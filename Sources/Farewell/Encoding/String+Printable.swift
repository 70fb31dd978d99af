// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Text from outside for a terminal or a log of lines: each character that could move the cursor, end the line or
    /// turn the order of writing (control and format characters, line and paragraph separators) is replaced by U+FFFD.
    package var printable: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var shown = UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("\u{FFFD}")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}
