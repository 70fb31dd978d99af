// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("The states of an erasure")
struct ErasureStateTests {
    /// Every pair that leads somewhere; every pair that is not here is impossible.
    private static let table: [ErasureState: [ErasureEvent: ErasureState]] = [
        .requested: [.delay: .grace, .cancel: .cancelled, .fence: .fenced],
        .grace: [.cancel: .cancelled, .fence: .fenced],
        .fenced: [.start: .running, .park: .needsAttention],
        .running: [.finishSteps: .verifying, .park: .needsAttention],
        .verifying: [.findLeftovers: .running, .issueReceipt: .done, .park: .needsAttention],
        .done: [:],
        .cancelled: [:],
        .needsAttention: [.release: .running],
    ]

    @Test("every state and every event has a decision", arguments: ErasureState.allCases, ErasureEvent.allCases)
    func pair(_ state: ErasureState, _ event: ErasureEvent) throws {
        let expected = try #require(Self.table[state])[event]
        #expect(state.after(event) == expected, "\(state) on \(event)")
    }

    @Test("done and cancelled are final, and every other state is live")
    func live() {
        for state in ErasureState.allCases {
            let isFinal = ErasureEvent.allCases.allSatisfy { state.after($0) == nil }
            #expect(state.isLive == !isFinal, "\(state)")
        }
    }

    @Test("no erasure can be cancelled once data may be destroyed")
    func pointOfNoReturn() {
        let cancellable = ErasureState.allCases.filter { $0.after(.cancel) != nil }
        #expect(cancellable == [.requested, .grace])
    }

    @Test("every state can be reached from a request")
    func reachable() {
        var found: Set<ErasureState> = [.requested]
        for _ in ErasureState.allCases {
            for state in found { found.formUnion(ErasureEvent.allCases.compactMap(state.after)) }
        }
        #expect(found == Set(ErasureState.allCases))
    }
}
