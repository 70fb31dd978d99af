// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FarewellCommand

@Suite("The doubtful keys that reerase erases")
struct DoubtfulChoiceTests {
    @Test("SY-2 --doubtful chooses keys by their bytes, and a named key that is not doubtful is reported")
    func choice() {
        // One letter, and a letter with a combining mark: Swift calls these two texts equal.
        let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
        let choice = DoubtfulChoice(
            of: .init(doubtful: [composed, decomposed, "ann"], others: ["7"]), named: [decomposed, "7", "an"])
        #expect(choice.chosen.map { Array($0.utf8) } == [Array(decomposed.utf8)])
        #expect(choice.left.map { Array($0.utf8) } == [Array(composed.utf8), Array("ann".utf8)])
        #expect(choice.unknown == ["an"])
    }
}
