// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellUI
import Testing

@Suite("The models as views show them")
@MainActor
struct ShowingTests {
    @Test(
        "AD-4 the server's word is shown as progress, and an unknown word shows nothing",
        arguments: [
            ("requested", 0.1), ("fenced", 0.25), ("running", 0.5), ("needs attention", 0.5), ("verifying", 0.8), ("done", 1),
            ("accepted", nil), ("", nil),
        ] as [(String, Double?)])
    func fraction(word: String, share: Double?) async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let model = DeletionModel(ScriptedAccount(reporting: [word], gate: gate))
        #expect(model.fraction == nil)
        model.ask()
        async let all: Void = model.confirm()
        while model.state != .working(word) { await Task.yield() }
        #expect(model.fraction == share)
        open.yield()
        await all
        #expect(model.fraction == nil && model.receipt?.id == "0b54")
    }

    @Test("SO-3 AD-3 a dialog that a platform dismisses counts as a cancel, and never as more")
    func putAway() async {
        let service = ScriptedAccount(failing: [.offline, .broken])
        let (account, deletion) = (AccountModel(service), DeletionModel(service))
        for scope in SignOutScope.allCases {
            account.askToSignOut(scope)
            #expect(account.isAskingHere == (scope == .local) && account.isAskingElsewhere != account.isAskingHere)
            #expect(account.asked == scope && !account.question(scope).title.isEmpty)
            account.isAskingHere = false
            account.isAskingElsewhere = false
            #expect(account.state == .idle && account.effects.isEmpty)
        }
        account.isAskingHere = true
        account.isAskingElsewhere = true
        deletion.isAsking = true
        deletion.isProving = true
        #expect(account.state == .idle && deletion.state == .idle, "nothing is asked by a platform")
        deletion.ask()
        #expect(deletion.isAsking)
        deletion.isAsking = false
        #expect(deletion.state == .idle && deletion.effects.isEmpty)
        #expect(await service.calls.isEmpty)

        await account.confirmed(.local)
        #expect(account.isTelling && account.failure?.isEmpty == false)
        account.isTelling = false
        await deletion.confirmed()
        #expect(deletion.isTelling && deletion.failure == Copy.english[.failed])
        deletion.isTelling = false
        #expect(account.state == .idle && deletion.state == .idle && deletion.proofProblem == nil)
        #expect(await service.calls == [.signOut(.local), .delete])
    }
}
