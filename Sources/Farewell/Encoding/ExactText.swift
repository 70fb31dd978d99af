// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Text that is equal only if its bytes are, as in databases. Swift's own comparison treats an é as equal whether it is
/// written as one character or as two; to a database those are two keys, and two subjects. It also takes quadratic time
/// for long runs of combining marks; this takes linear time for any text.
package struct ExactText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(text.utf8.count)
    }
}

extension String {
    /// Whether both texts have the same bytes. The sign for kelvin is not exactly the letter K, though `==` holds.
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard let first = bytes.baseAddress, let second = others.baseAddress else { return true }
                return memcmp(first, second, bytes.count) == 0
            }
        }
        return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Each text once, by its bytes and in their order.
    package var exactlyDistinct: [String] { Set(map(ExactText.init)).sorted().map(\.text) }

    /// Whether one of the texts has the same bytes. For text of a caller: to `contains`, letters that are composed in
    /// another way are the same text.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}

extension Dictionary where Key == String {
    /// The value of the key with the same bytes.
    package subscript(exactly key: String) -> Value? {
        guard let place = index(forKey: key), self[place].key.isExactly(key) else { return nil }
        return self[place].value
    }
}

extension ExactText: Comparable {
    /// In the order of bytes, which is that of Unicode's code points.
    package static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
