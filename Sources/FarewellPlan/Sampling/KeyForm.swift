// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The form of keys that programs make and databases keep as texts.
enum KeyForm: Hashable {
    case uuid
    /// Letters, digits, `-` and `_`, always as many characters: ULIDs, the keys of Prisma and Firebase.
    case token(length: Int)

    private static let shortestToken = 20
    private static let leastTokens = 3

    /// `nil` if the keys are of several forms, or may be words.
    init?(of keys: [String]) {
        guard let first = keys.first else { return nil }
        if keys.allSatisfy(UUIDText.isWhole) {
            self = .uuid
            return
        }
        let form = KeyForm.token(length: first.utf8.count)
        let hasDigits = keys.contains { $0.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
        guard keys.count >= Self.leastTokens, first.utf8.count >= Self.shortestToken, hasDigits,
            keys.allSatisfy(form.fits)
        else { return nil }
        self = form
    }

    func fits(_ text: String) -> Bool {
        switch self {
        case .uuid: UUIDText.isWhole(text)
        case .token(let length): text.utf8.count == length && text.utf8.allSatisfy(Self.isOfToken)
        }
    }

    /// The form of the values of a text; `nil` without values.
    func reading(_ values: [String], isJSONText: Bool) -> SchemaColumn.SampledText? {
        let texts = values.filter { !$0.isEmpty }
        guard !texts.isEmpty else { return nil }
        if texts.contains(where: fits) { return .keys }
        return isJSONText && texts.contains(where: lists) ? .lists : .other
    }

    /// Whether a text is a list in JSON without members, or with such keys.
    private func lists(_ text: String) -> Bool {
        guard text.contains("["), ListText(text) == .json else { return false }
        let members = text.split(separator: "\"")
        return members.count < 2 || members.contains { fits(String($0)) }
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
