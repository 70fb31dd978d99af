// SPDX-License-Identifier: Apache-2.0

/// Text that is equal only if its bytes are, as in databases. Swift's own comparison treats an é as equal whether it is
/// written as one character or as two; to a database those are two keys, and two subjects. It also takes quadratic time
/// for long runs of combining marks; this takes linear time for any text.
package struct ExactText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(text.utf8.count)
    }
}

extension Sequence<String> {
    /// Each text once, by its bytes and in their order.
    package var exactlyDistinct: [String] { Set(map(ExactText.init)).sorted().map(\.text) }
}

extension ExactText: Comparable {
    /// In the order of bytes, which is that of Unicode's code points.
    package static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
