// SPDX-License-Identifier: Apache-2.0

extension Collection {
    /// The elements in their order, in chunks of this size (at least one); the last chunk may be smaller.
    package func chunks(ofCount count: Int) -> [SubSequence] {
        let count = Swift.max(count, 1)
        var chunks: [SubSequence] = []
        var rest = self[...]
        while !rest.isEmpty {
            chunks.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return chunks
    }
}
