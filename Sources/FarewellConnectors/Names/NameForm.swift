// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The outward form of a name or of a value that may be one: two of different forms are not of the same kind of names.
enum NameForm: Sendable, Hashable {
    /// The letters of a form that has all of them in one case usually.
    enum Letters: Sendable, Hashable { case lower, upper, both }

    case uuid(Letters)
    /// Digits alone.
    case number
    /// Letters and digits of a length that generated identifiers have: 20 (documents of Firestore), 26 (ULID), 28
    /// (users of Firebase).
    case generated(Int, Letters)
    /// Hexadecimal digits, 24 (MongoDB) or 32, 40 or 64 (digests).
    case hexadecimal(Int, Letters)
    /// Any other text, by the signs in it that structure paths, addresses and prefixed names, or that encode them.
    case text(signs: Set<UInt8>)

    private static let signs = Set("/:#|@%".utf8)
    private static let lengths = [20, 26, 28]

    /// The forms that a name may have. A generated identifier may have no digit, and a name of several words may have
    /// such a length. A UUID without a letter has no case.
    static func possible(for text: String) -> Set<NameForm> {
        let bytes = Array(text.utf8)
        let letters = Letters(in: bytes)
        switch NameForm(of: text) {
        case .uuid where letters == nil: return [.uuid(.lower), .uuid(.upper), .uuid(.both)]
        case .text(let signs):
            let isWord = bytes.allSatisfy {
                $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
            guard let letters, isWord, Self.lengths.contains(bytes.count) else { return [.text(signs: signs)] }
            return [.text(signs: signs), .generated(bytes.count, letters)]
        // A word may have such a length, and a digit; letters in both cases and a digit hardly.
        case .generated(let length, let letters) where letters != .both:
            return [.generated(length, letters), .text(signs: [])]
        case let form: return [form]
        }
    }

    init(of text: String) {
        let bytes = Array(text.utf8)
        let letters = Letters(in: bytes)
        let isHex = bytes.allSatisfy { $0.hexadecimalValue != nil }
        let hasDigit = bytes.contains(where: \.isASCIIDigit)
        if Self.isUUID(bytes) {
            self = .uuid(letters ?? .lower)
        } else if !bytes.isEmpty, bytes.allSatisfy(\.isASCIIDigit) {
            self = .number
        } else if let letters, hasDigit, [24, 32, 40, 64].contains(bytes.count), isHex {
            self = .hexadecimal(bytes.count, letters)
        } else if let letters, hasDigit, Self.lengths.contains(bytes.count),
            bytes.allSatisfy(\.isASCIILetterOrDigit)
        {
            self = .generated(bytes.count, letters)
        } else {
            self = .text(signs: Self.signs.intersection(bytes))
        }
    }

    static func isUUID(_ bytes: [UInt8]) -> Bool {
        bytes.count == 36
            && bytes.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place)
                    ? byte == UInt8(ascii: "-") : byte.hexadecimalValue != nil
            }
    }
}

extension NameForm.Letters {
    /// `nil` without letters.
    fileprivate init?(in bytes: [UInt8]) {
        let hasLower = bytes.contains { $0.isASCIISmallLetter }
        let hasUpper = bytes.contains { $0.isASCIICapital }
        switch (hasLower, hasUpper) {
        case (true, true): self = .both
        case (true, false): self = .lower
        case (false, true): self = .upper
        case (false, false): return nil
        }
    }
}
