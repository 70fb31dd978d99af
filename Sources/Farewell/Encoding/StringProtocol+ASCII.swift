// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Whether this is the word, which consists of ASCII, in letters of any case. Unlike `lowercased()`, this does not
    /// take the sign for kelvin for a k. It is inlinable, so that other modules compile it for their kind of text.
    @inlinable
    package func isWord(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in
            guard utf8.count == letters.count else { return false }
            var place = 0
            for byte in utf8 {
                let letter = letters[place]
                guard byte == letter || letter.isASCIISmallLetter && byte == letter & 0xDF else { return false }
                place += 1
            }
            return true
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
