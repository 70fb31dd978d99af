// SPDX-License-Identifier: Apache-2.0

extension Collection {
    /// The elements in chunks of so many, at least one, in their order; the last chunk may have fewer.
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
