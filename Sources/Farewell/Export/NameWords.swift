// SPDX-License-Identifier: Apache-2.0

/// The words of a name in a schema or a document.
package enum NameWords {
    /// `createdByUser_2` → `created by user`: lower case, split at signs, digits and capitals.
    package static func of(_ name: String) -> [String] {
        let spelled = NameSpelling.name(name)
        let bytes = Array(spelled.utf8)
        return bytes.contains { $0 >= 0x80 } ? words(spelled.unicodeScalars) : words(bytes)
    }

    /// The same for names in ASCII, which almost all are: a check reads those of each column many times.
    private static func words(_ name: [UInt8]) -> [String] {
        var bytes = name
        var words: [String] = []
        var start = 0
        var lastWasLower = false
        for place in bytes.indices {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[place])
            let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[place])
            if !isUpper && !isLower || isUpper && lastWasLower {
                if start < place { words.append(String(decoding: bytes[start..<place], as: UTF8.self)) }
                start = isUpper ? place : place + 1
            }
            if isUpper { bytes[place] += 0x20 }
            lastWasLower = isLower
        }
        if start < bytes.count { words.append(String(decoding: bytes[start...], as: UTF8.self)) }
        return words
    }

    private static func words(_ name: String.UnicodeScalarView) -> [String] {
        var words: [String] = []
        var word = ""
        var lastWasLower = false
        for scalar in name {
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
