// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// An act that stops an erasure or a signing key, as the state directory remembers it. It names no subject.
package struct Stop: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// The subject cancelled the erasure.
        case cancelled
        /// An operator held the erasure.
        case held
        /// An operator ended the hold.
        case holdEnded = "hold-ended"
        /// An operator removed the signing key.
        case keyRemoved = "key-removed"
    }

    package let kind: Kind
    /// The erasure's identifier, or the key's.
    package let id: String
    package let at: Date

    /// The time is kept to the millisecond.
    private init(_ kind: Kind, id: String, at: Date) {
        self.kind = kind
        self.id = id
        self.at = UTCTime.rounded(at)
    }

    /// The stop of an erasure.
    package init(_ kind: Kind, of erasure: UUID, at: Date) { self.init(kind, id: erasure.text, at: at) }

    /// The stopped erasure; `nil` for a key.
    package var erasure: UUID? { kind == .keyRemoved ? nil : UUID(text: id) }

    package static func cancelled(_ erasure: UUID, at: Date) -> Stop { Stop(.cancelled, id: erasure.text, at: at) }
    package static func held(_ erasure: UUID, at: Date) -> Stop { Stop(.held, id: erasure.text, at: at) }
    package static func holdEnded(_ erasure: UUID, at: Date) -> Stop { Stop(.holdEnded, id: erasure.text, at: at) }
    package static func keyRemoved(_ key: String, at: Date) -> Stop { Stop(.keyRemoved, id: key, at: at) }
}

extension Stop: Codable {
    private enum CodingKeys: String, CodingKey { case at, id, kind }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(Kind.self, forKey: .kind), id: try members.decode(String.self, forKey: .id),
            at: try members.decodeTime(forKey: .at))
    }

    /// In the order of the canonical form, which then need not sort.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(time: at, forKey: .at)
        try members.encode(id, forKey: .id)
        try members.encode(kind, forKey: .kind)
    }
}
