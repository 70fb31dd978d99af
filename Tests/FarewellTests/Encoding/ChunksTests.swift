// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("Chunks")
struct ChunksTests {
    @Test("a collection is divided into chunks of at most so many elements, in order and without loss")
    func chunks() {
        #expect([Int]().chunks(ofCount: 3).isEmpty)
        #expect([1, 2, 3].chunks(ofCount: 3).map(Array.init) == [[1, 2, 3]])
        #expect((1...7).map(\.self).chunks(ofCount: 3).map(Array.init) == [[1, 2, 3], [4, 5, 6], [7]])
        #expect([1, 2].chunks(ofCount: 0).map(Array.init) == [[1], [2]], "never endless")
    }
}
