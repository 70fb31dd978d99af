// SPDX-License-Identifier: Apache-2.0

/// Words of a command that a user pastes into a shell (POSIX.1-2024, 2.2: `sh`, `bash`, `zsh`).
package enum ShellArgument {
    /// In bytes of UTF-8. Longer texts are not written: `…` stands for them.
    static let longest = 500

    /// A text as one word: as it is if no shell reads anything else in it, otherwise in quotes. No character of it
    /// moves the cursor, ends the line or turns the order of writing.
    package static func word(_ text: String) -> String {
        guard text.utf8.count <= longest else { return "…" }
        guard text.isEmpty || !text.utf8.allSatisfy(isPlain) else { return text }
        if text.unicodeScalars.contains(where: isHidden) { return escaped(text) }
        return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }

    /// An option with its value. Where the value begins with a dash, it would be taken for the next option, however it
    /// is quoted: an equals sign joins it to its own.
    package static func option(_ name: String, _ value: String) -> String {
        name + (value.utf8.first == UInt8(ascii: "-") ? "=" : " ") + word(value)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "-")
    }

    /// Whether a terminal or ``Shown`` replaces a character.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    /// In dollar quotes, where each byte of a hidden character has three octal digits.
    private static func escaped(_ text: String) -> String {
        var word = "$'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": word += "\\\(scalar)"
            case "\n": word += "\\n"
            case "\t": word += "\\t"
            case _ where isHidden(scalar):
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    word += "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)"
                }
            default: word.unicodeScalars.append(scalar)
            }
        }
        return word + "'"
    }
}
