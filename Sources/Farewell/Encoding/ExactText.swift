// SPDX-License-Identifier: Apache-2.0

/// Text that is the same only where its bytes are, as databases have it. Swift's own comparison takes an é for the same
/// whether it is written as one character or as two; to a database those are two keys, and two people.
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
