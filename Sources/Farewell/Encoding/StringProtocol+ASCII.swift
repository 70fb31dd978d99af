// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Whether this is the word, which consists of ASCII, in letters of any case. Unlike `lowercased()`, this does not
    /// take the sign for kelvin for a k.
    package func isWord(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in
            utf8.count == letters.count
                && zip(utf8, letters).allSatisfy { byte, letter in
                    byte == letter || letter.isASCIISmallLetter && byte == letter & 0xDF
                }
        }
    }
}

extension String {
    /// The text before and after the first of these ASCII characters; `nil` if it does not occur. Takes linear time for
    /// any text.
    package func divided(at byte: UInt8) -> (before: Substring, after: Substring)? { self[...].divided(at: byte) }
}

extension Substring {
    /// The text before and after the first of these ASCII characters; `nil` if it does not occur.
    package func divided(at byte: UInt8) -> (before: Substring, after: Substring)? {
        let offset = utf8.withContiguousStorageIfAvailable { bytes in bytes.firstIndex(of: byte) }
        guard let offset = offset ?? Array(utf8).firstIndex(of: byte) else { return nil }
        let place = utf8.index(startIndex, offsetBy: offset)
        return (self[..<place], self[utf8.index(after: place)...])
    }
}
