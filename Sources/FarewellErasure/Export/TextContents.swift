// SPDX-License-Identifier: Apache-2.0

/// The bytes of a text that decide how an export writes it.
struct TextContents: OptionSet, Sendable {
    let rawValue: UInt8

    /// A byte below the space.
    static let control = TextContents(rawValue: 1)
    static let quote = TextContents(rawValue: 2)
    /// A comma or a semicolon.
    static let separator = TextContents(rawValue: 4)
    static let backslash = TextContents(rawValue: 8)
    /// A byte that is not ASCII: the text may not be UTF-8.
    static let beyondASCII = TextContents(rawValue: 16)
}

extension TextContents {
    /// Looks at all bytes once, eight at a time.
    init(of text: UnsafeBufferPointer<UInt8>) {
        let bytes = UnsafeRawBufferPointer(text)
        var words = Words()
        var place = 0
        while place + 8 <= bytes.count {
            words.add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        if place < bytes.count {
            if bytes.count > 8 {
                words.add(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
            } else {
                // Letters fill the rest of the word.
                words.add(text.reduce(Words.each(UInt8(ascii: "a"))) { $0 << 8 | UInt64($1) })
            }
        }
        self.init(rawValue: words.found)
    }

    /// The words looked at. A byte's highest bit is set only if one of them has a byte that is looked for.
    ///
    /// A subtraction borrows from the next byte only where a byte is below the limit, so that a word without such a
    /// byte sets no bit (Sean Anderson, Bit Twiddling Hacks, "hasless").
    private struct Words {
        private var control: UInt64 = 0
        private var quote: UInt64 = 0
        private var separator: UInt64 = 0
        private var backslash: UInt64 = 0
        private var high: UInt64 = 0

        @inline(__always)
        mutating func add(_ word: UInt64) {
            control |= Self.below(UInt8(ascii: " "), word)
            quote |= Self.below(1, word ^ Self.each(UInt8(ascii: "\"")))
            separator |= Self.below(1, word ^ Self.each(UInt8(ascii: ",")))
            separator |= Self.below(1, word ^ Self.each(UInt8(ascii: ";")))
            backslash |= Self.below(1, word ^ Self.each(UInt8(ascii: "\\")))
            high |= word
        }

        @inline(__always)
        static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

        @inline(__always)
        private static func below(_ limit: UInt8, _ word: UInt64) -> UInt64 { (word &- each(limit)) & ~word }

        /// The options, as their raw value.
        var found: UInt8 {
            var found: TextContents = []
            let marks = Self.each(0x80)
            if control & marks != 0 { found.insert(.control) }
            if quote & marks != 0 { found.insert(.quote) }
            if separator & marks != 0 { found.insert(.separator) }
            if backslash & marks != 0 { found.insert(.backslash) }
            if high & marks != 0 { found.insert(.beyondASCII) }
            return found.rawValue
        }
    }
}
