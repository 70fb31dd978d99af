// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// A key as it can be stored and handed back to the database with its type.
package enum StoredValue: Sendable, Hashable {
    case integer(Int64)
    case text(String)
    case uuid(UUID)
    case bytes([UInt8])

    package init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .uuid(let uuid): self = .uuid(uuid)
        case .bytes(let bytes): self = .bytes(bytes)
        default: self = .text(value.text ?? "")
        }
    }

    package var value: SQLValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .uuid(let uuid): .uuid(uuid)
        case .bytes(let bytes): .bytes(bytes)
        }
    }

    package var text: String { value.text ?? "" }

    /// By bytes, as databases compare (`ExactText`).
    package static func == (one: StoredValue, other: StoredValue) -> Bool { one.value == other.value }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
