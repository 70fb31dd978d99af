// SPDX-License-Identifier: Apache-2.0

/// Writes single values so that any YAML 1.1 or 1.2 parser reads exactly the same text back.
enum YAMLScalar {
    /// Words that some YAML version does not read as text.
    private static let taken: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// Plain if it is unambiguous, otherwise between double quotes.
    static func name(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, first == "_" || isLetter(first),
            text.unicodeScalars.allSatisfy({
                isLetter($0) || ("0"..."9").contains($0) || "_.-/".unicodeScalars.contains($0)
            }),
            !taken.contains(text.lowercased())
        else { return quoted(text) }
        return text
    }

    /// Between double quotes; invisible and misleading characters are escaped.
    static func quoted(_ text: String) -> String {
        var written = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars { written.append(contentsOf: escaped(scalar).unicodeScalars) }
        written.append("\"")
        return String(written)
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
            return code(scalar.value)
        default:
            return String(scalar)
        }
    }

    private static func code(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        let (sign, width) = value <= 0xFF ? ("x", 2) : value <= 0xFFFF ? ("u", 4) : ("U", 8)
        return "\\" + sign + String(repeating: "0", count: width - digits.count) + digits
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}
