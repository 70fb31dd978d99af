// SPDX-License-Identifier: Apache-2.0

/// The outward form of a name or of a value that may be one: two of different forms are not of the same kind of names.
enum NameForm: Sendable, Hashable {
    case uuid
    /// Letters and digits of a length that generated identifiers have: 20 (documents of Firestore), 26 (ULID), 28
    /// (users of Firebase).
    case generated(Int)
    /// Hexadecimal digits, 24 (MongoDB) or 32.
    case hexadecimal(Int)
    /// Any other text, by the signs in it that structure paths, addresses and prefixed names.
    case text(signs: Set<UInt8>)

    private static let signs = Set("/:#|@".utf8)

    /// The forms that a name may have. A generated identifier may have no digit, and a name of several words may have
    /// such a length.
    static func possible(for text: String) -> Set<NameForm> {
        let form = NameForm(of: text)
        let bytes = Array(text.utf8)
        guard case .text = form, [20, 26, 28].contains(bytes.count),
            bytes.allSatisfy({ isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return [form] }
        return [form, .generated(bytes.count)]
    }

    init(of text: String) {
        let bytes = Array(text.utf8)
        let isHex = bytes.allSatisfy { Self.isDigit($0) || (97...102).contains($0 | 0x20) }
        let hasDigitAndLetter = bytes.contains(where: Self.isDigit) && bytes.contains(where: Self.isLetter)
        if bytes.count == 36, [8, 13, 18, 23].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            bytes.enumerated().allSatisfy({
                [8, 13, 18, 23].contains($0) || Self.isDigit($1) || (97...102).contains($1 | 0x20)
            })
        {
            self = .uuid
        } else if [24, 32].contains(bytes.count), isHex, hasDigitAndLetter {
            self = .hexadecimal(bytes.count)
        } else if [20, 26, 28].contains(bytes.count), hasDigitAndLetter,
            bytes.allSatisfy({ Self.isDigit($0) || Self.isLetter($0) })
        {
            self = .generated(bytes.count)
        } else {
            self = .text(signs: Self.signs.intersection(bytes))
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}
