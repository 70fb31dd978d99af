// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

@Suite("Refresh rotation")
struct RefreshRotationTests {
    typealias Rotation = RefreshRotation

    /// Every standing with every proof, written out once more by hand.
    static let table: [(Rotation.Standing, [Rotation.Decision])] = [
        // no nonce, the same nonce, another nonce
        (.active, [.advance, .advance, .advance]),
        (.justSpentWithNonce, [.endSession, .repeatActive, .endSession]),
        (.justSpentPlainly, [.repeatActive, .endSession, .endSession]),
        (.spentLately, [.repeatActive, .endSession, .endSession]),
        (.spentLongAgo, [.endSession, .endSession, .endSession]),
        (.unknown, [.refuse, .refuse, .refuse]),
    ]

    @Test("SE-6 every state and proof gives the documented decision")
    func everyPair() {
        #expect(Self.table.map(\.0) == Rotation.Standing.allCases)
        for (standing, expected) in Self.table {
            let found = Rotation.Proof.allCases.map { Rotation.decide(standing, $0) }
            #expect(found == expected, "\(standing)")
        }
    }

    @Test("SE-6 a token's state depends on its number")
    func standing() {
        func standing(_ token: Int64, nonce: Bool = false, lately: Bool = false) -> Rotation.Standing {
            Rotation.standing(token: token, active: 7, wasSpentWithNonce: nonce, isWithinReuseInterval: lately)
        }
        #expect(standing(8) == .unknown)
        #expect(standing(7) == .active)
        #expect(standing(7, nonce: true) == .active)
        #expect(standing(6) == .justSpentPlainly)
        #expect(standing(6, nonce: true) == .justSpentWithNonce)
        #expect(standing(6, nonce: true, lately: true) == .justSpentWithNonce)
        #expect(standing(5) == .spentLongAgo)
        #expect(standing(5, lately: true) == .spentLately)
        #expect(standing(5, nonce: true, lately: true) == .spentLongAgo)
        #expect(standing(0) == .spentLongAgo)
    }

    @Test("SE-6 only an active token ever advances the chain, so that it cannot fork")
    func noFork() {
        for standing in Rotation.Standing.allCases where standing != .active {
            for proof in Rotation.Proof.allCases { #expect(Rotation.decide(standing, proof) != .advance) }
        }
    }
}
