// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// How a text lists values, judged by the text alone.
enum ListText: Sendable, Hashable {
    case empty
    /// One value, or several with commas between them.
    case commas
    /// An array of JSON with strings and numbers.
    case json
    /// Another way to list values (`1;2`, `|1|2|`, `{1,2}`, `1 2`), in which no member is found; or no list.
    case other

    init(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let bytes = Array(trimmed.utf8)
        guard let first = bytes.first else {
            self = .empty
            return
        }
        if first == UInt8(ascii: "[") {
            self = Self.isArray(trimmed) ? .json : .other
            return
        }
        let members = trimmed.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let isPlain = !bytes.contains(where: Self.signs.contains)
        let areSingle = members.allSatisfy { $0.rangeOfCharacter(from: .whitespacesAndNewlines) == nil }
        self = isPlain && areSingle ? .commas : .other
    }

    /// The form that finds every member of such a text; `nil` if any or none does.
    var form: Link.ListForm? {
        switch self {
        case .commas: .comma
        case .json: .json
        case .empty, .other: nil
        }
    }

    /// Whether a list of this form finds the members of the text.
    func fits(_ form: Link.ListForm) -> Bool { self == .empty || self.form == form }

    private static let signs = Set("[]{}();|\"'".utf8)

    private static func isArray(_ text: String) -> Bool {
        guard CanonicalJSON.hasSafeTexts(Data(text.utf8)),
            let members = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any]
        else { return false }
        return members.allSatisfy { $0 is String || $0 is NSNumber || $0 is NSNull }
    }
}
