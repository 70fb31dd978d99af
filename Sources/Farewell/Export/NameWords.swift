// SPDX-License-Identifier: Apache-2.0

/// The words of a name in a schema or a document.
package enum NameWords {
    /// `createdByUser_2` → `created by user`: lower case, split at signs, digits and capitals.
    package static func of(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var lastWasLower = false
        for scalar in NameSpelling.name(name).unicodeScalars {
            let isLetter = scalar.properties.isAlphabetic
            let isUpper = scalar.properties.isUppercase
            if !isLetter || isUpper && lastWasLower {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isLetter { word += scalar.properties.lowercaseMapping }
            lastWasLower = isLetter && !isUpper
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
