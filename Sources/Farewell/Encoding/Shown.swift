// SPDX-License-Identifier: Apache-2.0

/// Makes foreign names and words fit for a message: no control characters, no reversed text, limited length.
package enum Shown {
    package static func name(_ text: some StringProtocol) -> String {
        "“\(line(text, limit: 80))”"
    }

    /// One line without characters that could forge another line or reverse what is shown.
    package static func line(_ text: some StringProtocol, limit: Int) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                shown.append("\u{FFFD}")
            default:
                shown.append(scalar)
            }
        }
        return String(shown) + (text.unicodeScalars.count > limit ? "…" : "")
    }
}
