// SPDX-License-Identifier: Apache-2.0
import FarewellClient
import Testing

@Suite("The states of a departure")
struct DepartureStateTests {
    @Test("SO-14 every state and event of a sign-out gives the result in the diagram", arguments: SignOutState.allCases)
    func signOut(_ state: SignOutState) {
        let drawn: [SignOutState: [SignOutState.Event: SignOutState]] = [
            .intended: [.queue: .queued], .queued: [.clearTokens: .tokensCleared, .failTokens: .tokensStuck],
            .tokensCleared: [.wipe: .done, .findLeftovers: .unclean],
            .tokensStuck: [.wipe: .unclean, .findLeftovers: .unclean, .retry: .queued], .unclean: [.retry: .queued],
            .done: [:],
        ]
        for event in SignOutState.Event.allCases { #expect(state.after(event) == drawn[state]?[event], "\(event)") }
    }

    @Test("CF-1 CF-2 every state and event of a deletion gives the result in the diagram", arguments: DeletionState.allCases)
    func deletion(_ state: DeletionState) {
        let drawn: [DeletionState: [DeletionState.Event: DeletionState]] = [
            .intended: [.accept: .accepted, .refuse: .refused, .loseAnswer: .unanswered],
            .unanswered: [.accept: .accepted, .refuse: .refused, .repeatRequest: .intended],
            .accepted: [.leaveSubscriptions: .subscriptionsLeft],
            .subscriptionsLeft: [.clearTokens: .tokensCleared, .failTokens: .tokensStuck],
            .tokensCleared: [.purge: .done, .findLeftovers: .unclean],
            .tokensStuck: [.purge: .unclean, .findLeftovers: .unclean, .retry: .subscriptionsLeft],
            .unclean: [.retry: .subscriptionsLeft], .done: [:], .refused: [:],
        ]
        for event in DeletionState.Event.allCases { #expect(state.after(event) == drawn[state]?[event], "\(event)") }
    }

    @Test("CF-1 no local action belongs to an unaccepted deletion, and an accepted one cannot be undone")
    func pointOfNoReturn() {
        for state in DeletionState.allCases {
            let isLocal = [.leaveSubscriptions, .clearTokens, .purge].contains(state.action)
            #expect(!isLocal || state.isAccepted)
            guard state.isAccepted else { continue }
            for event in DeletionState.Event.allCases { #expect(state.after(event)?.isAccepted != false) }
        }
    }

    @Test("each state has one action, and only the final ones delete the journal")
    func actions() {
        #expect(SignOutState.allCases.filter { $0.action == .forget } == [.done])
        #expect(DeletionState.allCases.filter { $0.action == .forget } == [.done, .refused])
        #expect(SignOutState.allCases.filter { $0.action == .wait } == [.unclean])
        #expect(DeletionState.allCases.filter { $0.action == .wait } == [.unclean])
    }
}
