// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The side of a row between two users that a column names. A guess by the name: `export` in the plan decides.
enum PersonSide {
    /// The user who wrote the row or did what it records: `sender_id`, `reporter_id`, `user_id`.
    case author
    /// The user whom it is about or for: `receiver_id`, `reported_user_id`, `to_id`.
    case other

    private static let directions: Set<String> = ["to", "other"]

    /// `nil` where the name does not tell.
    static func of(_ column: String) -> PersonSide? {
        let name = KeyName(column)
        if name.isKey, name.words.count == 1, PersonNoun.ends.contains(name.words[0]) {
            return ["from", "by"].contains(name.words[0]) ? .author : .other
        }
        switch PersonNames.role(name) {
        case .otherSide: return .other
        case .owner: return isOther(name) ? .other : .author
        case .maker, .doer: return .author
        case .handler, nil: return nil
        }
    }

    static func of(_ link: Link) -> PersonSide? {
        guard link.path.isEmpty else { return of(link.path.joined(separator: "_")) }
        return link.columns.compactMap { of($0) }.first
    }

    /// `reported_user_id`, `other_user_id`: a word before the noun says that it is not the author.
    private static func isOther(_ name: KeyName) -> Bool {
        guard name.act == nil, name.words.count > 1 else { return false }
        return directions.contains(name.words[0]) || PersonNoun.role(name.words[name.words.count - 2]) == .otherSide
    }
}
