// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation

/// One identifier of a subject, as the search looks for it.
struct SearchedName: Sendable, Hashable {
    /// The form of the identifier, which decides its limits in a text and the strength of the evidence.
    enum Form: Sendable, Hashable {
        case address
        case uuid
        case phone
        /// A key of decimal digits.
        case number
        /// A text that a program made up, such as a CUID or a Firebase identifier: it can mean no other person.
        case token
        /// Words that can mean no other person, such as a handle or a full name.
        case words
        /// One short word, such as a first name, which other subjects have as well.
        case commonWord
    }

    let form: Form
    /// The spellings that count, in UTF-8 and lower case.
    let spellings: [[UInt8]]
    /// The patterns for databases: in lower case, and escaped as URLs and JSON escape it.
    let patterns: [String]
    /// The bytes of a whole value that is this identifier, in hexadecimal digits.
    let bytes: [String]
    /// Whether it is the subject's key.
    let isKey: Bool
    /// Whether the plan does not name it as an identifier: a number may be another thing in other places.
    let isImplied: Bool

    /// The number's digits, if it is one.
    var digits: String? { form == .number ? String(decoding: spellings[0], as: UTF8.self) : nil }

    /// The number that the name is, of any form: `users.customer_no` may be a number elsewhere too.
    var number: String? {
        if let digits { return digits }
        let text = String(decoding: spellings[0], as: UTF8.self)
        return text.utf8.first != UInt8(ascii: "0") && text.utf8.allSatisfy { $0.isASCIIDigit } ? text : nil
    }

    /// The digits of a telephone number, which people write with different signs between them; `nil` if they are few.
    var dialled: [UInt8]? {
        guard form == .phone, let digits = spellings.last, digits.count >= Self.unmistakableNumber else { return nil }
        return digits
    }

    /// Shorter identifiers are not searched for, unless they are numeric keys: they would be found in anything.
    static let shortest = 6
    /// A number or a word of at least this length can hardly mean another person.
    static let unmistakable = 12
    /// From this length on, a text that is no key is a token although a person might have chosen it as a handle.
    private static let shortestChosenToken = 20
    /// The fewest digits of a telephone number without its country.
    private static let unmistakableNumber = 10

    /// `nil` if the text is too short.
    init?(_ text: String, isKey: Bool = false, isImplied: Bool = false) {
        let form = Self.form(of: text, isKey: isKey)
        guard form == .number || text.unicodeScalars.prefix(Self.shortest).count >= Self.shortest else { return nil }
        self.form = form
        self.isKey = isKey
        self.isImplied = isImplied
        var spellings = [text.folded]
        switch form {
        case .uuid:
            let digits = text.folded.filter { $0 != UInt8(ascii: "-") }
            spellings = [Self.hyphenated(digits), digits]
            bytes =
                [text, text.lowercased(), text.uppercased()].map { Array($0.utf8).hexadecimal }
                + [String(decoding: digits, as: UTF8.self)]
        case .phone:
            spellings.append(text.utf8.filter { $0.isASCIIDigit })
            bytes = [Array(text.utf8).hexadecimal]
        case .number:
            bytes = []
        default:
            bytes = [ExactText(text), ExactText(text.lowercased())].map { Array($0.text.utf8).hexadecimal }
        }
        self.spellings = spellings.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        let written =
            self.spellings.map { String(decoding: $0, as: UTF8.self) }
            + [text.loweredInASCII, text.uppercased().loweredInASCII]
        patterns = form == .number ? [] : (written + written.flatMap(Self.escaped)).exactlyDistinct
    }

    /// The evidence if it is a value of its own.
    func verdict(in column: SearchedColumn) -> NameMatch.Verdict {
        switch form {
        case .address, .uuid: .left
        case .commonWord: .similar
        // In the column from which it was read, other rows hold other subjects' identifiers.
        case .phone, .token, .words, .number: column.isIdentifier || isVague ? .similar : .left
        }
    }

    /// Whether it is a number of few digits that only the subject's own row makes a name.
    private var isVague: Bool { isImplied && number.map { $0.utf8.count < Self.unmistakableNumber } == true }

    private static func form(of text: String, isKey: Bool) -> Form {
        let bytes = Array(text.utf8)
        let digits = bytes.count { $0.isASCIIDigit }
        if isKey, digits > 0, digits == bytes.count || bytes.first == UInt8(ascii: "-") && digits == bytes.count - 1 {
            return .number
        }
        let isHexadecimal = bytes.allSatisfy { $0.hexadecimalValue != nil }
        if UUID(text: text) != nil || bytes.count == 32 && isHexadecimal { return .uuid }
        let signs = bytes.filter { $0 == UInt8(ascii: "@") }.count
        let hasSpace = bytes.contains { $0 <= 32 }
        if signs == 1, !hasSpace, bytes.first != UInt8(ascii: "@"), bytes.last != UInt8(ascii: "@") { return .address }
        let between = bytes.allSatisfy { $0.isASCIIDigit || "+ -()./".utf8.contains($0) }
        let dots = bytes.count { $0 == UInt8(ascii: ".") }
        if between, (7...15).contains(digits), dots != 3 { return .phone }
        if isToken(bytes, isKey: isKey) { return .token }
        return isCommon(text) ? .commonWord : .words
    }

    /// Whether the text is one long word with a digit in it. Any such key is; of other identifiers, those that people
    /// hardly choose.
    private static func isToken(_ bytes: [UInt8], isKey: Bool) -> Bool {
        guard bytes.count >= unmistakable, bytes.contains(where: { $0.isASCIIDigit }),
            bytes.allSatisfy({ $0.isASCIILetterOrDigit || "_-|:.".utf8.contains($0) })
        else { return false }
        let isMixed = bytes.contains { $0.isASCIISmallLetter } && bytes.contains { $0.isASCIICapital }
        return isKey || bytes.count >= shortestChosenToken || isMixed && bytes.allSatisfy(\.isASCIILetterOrDigit)
    }

    /// One word of letters.
    private static func isCommon(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return scalars.prefix(unmistakable).count < unmistakable
            && scalars.allSatisfy { $0.properties.isAlphabetic || TextEdge.isMark($0) || $0 == "'" || $0 == "’" }
    }

    private static func hyphenated(_ digits: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return text
    }

    /// The same text inside a URL and inside JSON whose writer escapes more than it must.
    private static func escaped(_ text: String) -> [String] {
        var address = ""
        var json = ""
        for scalar in text.unicodeScalars {
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || "-._~".unicodeScalars.contains(scalar) {
                address.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 { address += "%" + [byte].hexadecimal }
            }
            switch scalar {
            case "\"", "\\", "/": json += "\\" + String(scalar)
            case _ where scalar.isASCII: json.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    json += "\\u" + [UInt8(unit >> 8), UInt8(unit & 255)].hexadecimal
                }
            }
        }
        return [address, json]
    }
}

extension String {
    /// In UTF-8, each scalar in lower case separately, so that parts of a text fold as the whole does. Linear.
    var folded: [UInt8] {
        var text = self
        let isASCII = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 128 } }
        guard !isASCII else { return utf8.map { $0.withoutASCIICapital } }
        var folded: [UInt8] = []
        folded.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(scalar.value)
                folded.append(byte.withoutASCIICapital)
            } else {
                folded.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
            }
        }
        return folded
    }

    /// With A to Z in lower case and nothing else, as in SQLite's `lower`, and PostgreSQL's in some locales.
    var loweredInASCII: String {
        String(decoding: utf8.map { $0.withoutASCIICapital }, as: UTF8.self)
    }
}
