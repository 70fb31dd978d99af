// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellUI
import Testing

@Suite("Proofs of identity on the screens")
@MainActor
struct ProofTests {
    private nonisolated static let wrong = FarewellError("server.invalid_credentials", .yoursToFix, "no")

    @Test(
        "AP-2 APP-04 Item 29: the page shows the error about a proof, reports no removal meanwhile, and a correct proof deletes",
        arguments: [
            (wrong, "That didn't match. Nothing was deleted. Please try again."),
            (.proofCancelled, "You cancelled the check. Nothing was deleted."),
            (FarewellError("device.another-person", .yoursToFix, "no"), "That is another account. Nothing was deleted."),
            (.offline, "I couldn't reach the server. Please try again when you're online."),
        ], [AccountProof.apple, .password("secret"), .mailedCode("123456")])
    func proves(problem: (error: FarewellError, words: String), proof: AccountProof) async {
        let account = ScriptedAccount(failing: [.stale, problem.error], proofs: [.apple, .password, .mailedCode])
        let model = DeletionModel(account)
        model.ask()
        await model.confirm()
        #expect(model.state == .proving(nil) && model.proofs == [.apple, .password, .mailedCode])
        _ = model.takeEffects()
        await model.prove(proof)
        #expect(model.state == .proving(problem.words) && !model.isDeletingAccount)
        #expect(model.takeEffects() == [.announce(problem.words)], "no removal was announced")
        await model.prove(proof)
        #expect(model.state == .done)
        #expect(await account.calls == [.delete, .confirm(proof), .confirm(proof), .deleteProved("step-up")])
    }

    @Test("APP-04 AD-4 the overlay shows no text while a proof is checked, and a cancel during the check is final")
    func checking() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let account = ScriptedAccount(failing: [.stale], gate: gate)
        let model = DeletionModel(account)
        model.ask()
        open.yield()
        await model.confirm()
        let check = Task { await model.prove(.password("secret")) }
        while model.state != .checking { await Task.yield() }
        #expect(!model.isDeletingAccount && model.isProving && model.isChecking && !model.isCovering)
        model.cancel()
        #expect(model.state == .idle)
        open.yield()
        await check.value
        #expect(model.state == .idle)
        #expect(await account.calls == [.delete, .confirm(.password("secret"))], "nothing is deleted after a cancel")
    }

    @Test("AP-2 an account whose provider can check no proof asks the user to sign in again")
    func none() async {
        let model = DeletionModel(ScriptedAccount(failing: [.stale], proofs: []))
        model.ask()
        await model.confirm()
        #expect(model.state == .failed("Please log in again, then delete your account."))
    }

    @Test("SO-10 AP-2 a code that was requested for the former user is not shown as sent to the next one")
    func lateCode() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let account = ScriptedAccount(failing: [.stale, nil, .stale], gate: gate, proofs: [.mailedCode])
        let model = DeletionModel(account)
        model.ask()
        open.yield()
        await model.confirm()
        let late = Task { await model.sendCode() }
        while await account.calls.count < 2 { await Task.yield() }
        model.reset()
        model.ask()
        await model.confirm()
        #expect(model.isProving && !model.isCodeSent)
        open.yield()
        await late.value
        #expect(!model.isCodeSent)
    }

    @Test("AP-2 a code is sent to the account's address, and a failure to send is shown")
    func code() async {
        let account = ScriptedAccount(failing: [.stale, .offline], proofs: [.mailedCode])
        let model = DeletionModel(account)
        await model.sendCode()
        model.ask()
        await model.confirm()
        _ = model.takeEffects()
        await model.sendCode()
        #expect(model.takeEffects() == [.announce(model.proofProblem ?? "")])
        #expect(!model.isCodeSent && model.proofProblem == "I couldn't reach the server. Please try again when you're online.")
        await model.sendCode()
        #expect(model.isCodeSent)
        #expect(await account.calls == [.delete, .sendCode, .sendCode])
    }
}
