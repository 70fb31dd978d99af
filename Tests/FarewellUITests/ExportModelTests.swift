// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
@testable import FarewellUI
import Foundation
import Testing

/// An account whose exports a test answers, one by one.
actor ScriptedExports: AccountService {
    private(set) var proofsGiven: [String?] = []
    private(set) var isRemoved = false
    private var failures: [FarewellError?]
    private var wrongProofs: Int
    private let wrong: FarewellError
    private let kinds: [IdentityProof.Kind]
    nonisolated let exportsData: Bool
    /// The archive on the device.
    private nonisolated let kept: Guarded<URL?>
    private let keepsArchive: Bool
    static let archive = URL(fileURLWithPath: "/tmp/export.zip")

    init(
        failing failures: [FarewellError?] = [], wrongProofs: Int = 0, proofs: [IdentityProof.Kind] = [.password],
        wrong: FarewellError = FarewellError("server.invalid_credentials", .yoursToFix, "no"), exportsData: Bool = true,
        exportedData: URL? = nil, keepsArchive: Bool = false
    ) {
        self.wrong = wrong
        self.keepsArchive = keepsArchive
        kept = Guarded(exportedData)
        self.failures = failures
        self.wrongProofs = wrongProofs
        self.exportsData = exportsData
        kinds = proofs
    }

    func exportData(proof: Token?, _ progress: @escaping @Sendable (DataExport) -> Void) async throws -> URL {
        proofsGiven.append(proof.map { $0.reveal { $0 } })
        progress(DataExport(id: "1", state: .running, tablesDone: 1, tablesTotal: 4))
        if !failures.isEmpty, let failure = failures.removeFirst() { throw failure }
        return Self.archive
    }

    func confirmExport(_ proof: AccountProof) async throws -> Token? {
        guard wrongProofs == 0 else {
            wrongProofs -= 1
            throw wrong
        }
        return Token("step-up")
    }

    nonisolated var exportedData: URL? { kept.withLock { $0 } }

    func removeExportedData() async {
        isRemoved = true
        if !keepsArchive { kept.withLock { $0 = nil } }
    }
    func proofs() async -> [IdentityProof.Kind] { kinds }
    func signOut(_ scope: SignOutScope) async throws -> SignOutResult {
        SignOutResult(device: WipeReport([]), server: .told)
    }
    func deleteAccount(
        proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        DeletionResult(server: DeletionProgress(state: "done"), isDone: true)
    }
    func sessions() async throws -> [ListedSession] { [] }
    func endSession(_ id: String) async throws {}
    func confirm(_ proof: AccountProof) async throws -> Token? { nil }
}

@Suite("The model of the button that downloads the user's data")
@MainActor
struct ExportModelTests {
    @Test("EX-1 a tap downloads, the archive can be shared and removed, and no text of it stays for the next user")
    func downloads() async {
        let service = ScriptedExports()
        let model = ExportModel(service)
        #expect(model.isOffered && model.isEnabled && model.archive == nil)
        await model.start()
        #expect(model.state == .ready(ScriptedExports.archive) && model.archive == ScriptedExports.archive)
        #expect(model.takeEffects() == [.announce("Preparing your data..."), .announce("Your data is ready.")])
        await model.start()
        #expect(await service.proofsGiven == [nil], "a second tap requests nothing")
        await model.remove()
        #expect(await service.isRemoved && model.state == .idle)
        await model.start()
        model.reset()
        #expect(model.state == .idle && model.archive == nil)
        #expect(!ExportModel(ScriptedExports(exportsData: false)).isOffered)
        #expect(!ExportModel(ScriptedAccount()).isOffered, "a service that does not say")
    }

    @Test("EX-3 an archive of an earlier launch is shown, so that the user can share and remove it")
    func restores() async {
        let service = ScriptedExports(exportedData: ScriptedExports.archive)
        let model = ExportModel(service)
        #expect(model.archive == nil)
        await model.restore()
        #expect(model.archive == ScriptedExports.archive && model.takeEffects().isEmpty)
        await model.remove()
        #expect(await service.isRemoved && model.state == .idle)
        let none = ExportModel(ScriptedExports())
        await none.restore()
        #expect(none.state == .idle)
    }

    @Test("EX-3 an archive that could not be removed is not hidden")
    func keeps() async {
        let model = ExportModel(ScriptedExports(exportedData: ScriptedExports.archive, keepsArchive: true))
        await model.restore()
        await model.remove()
        #expect(model.archive == ScriptedExports.archive)
    }

    @Test("EX-3 after an old sign-in a proof is required; a wrong one is reported, a right one downloads")
    func proves() async {
        let service = ScriptedExports(failing: [.stale], wrongProofs: 1)
        let model = ExportModel(service)
        await model.start()
        #expect(model.state == .proving(nil) && model.isProving && model.proofs == [.password])
        await model.prove(.password("wrong"))
        #expect(model.proofProblem == "That didn't match. Please try again.")
        await model.prove(.password("right"))
        #expect(model.state == .ready(ScriptedExports.archive))
        #expect(await service.proofsGiven == [nil, "step-up"])
        let without = ExportModel(ScriptedExports(failing: [.stale], proofs: []))
        await without.start()
        #expect(without.failure == "Please log in again, then download your data.")
    }

    @Test("EX-3 a cancelled proof, another account's, a wrong one and an unreachable server have different texts, in each language")
    func proofProblems() async {
        let texts: [(FarewellError, Copy.Key)] = [
            (.proofCancelled, .exportProofCancelled),
            (FarewellError("device.another-person", .yoursToFix, "other"), .exportProofOfAnother), (.offline, .unreachable),
            (FarewellError("server.invalid_credentials", .yoursToFix, "no"), .exportProofWrong),
        ]
        for copy in Copy.all {
            var shown: Set<String> = []
            for (error, key) in texts {
                let model = ExportModel(ScriptedExports(failing: [.stale], wrongProofs: 1, proofs: [.apple], wrong: error), copy: copy)
                await model.start()
                await model.prove(.apple)
                #expect(model.proofProblem == copy[key])
                shown.insert(model.proofProblem ?? "")
            }
            #expect(shown.count == texts.count && !shown.contains(""))
        }
    }

    @Test("EX-3 each refusal has its own text, and the button can be used again")
    func fails() async {
        let texts: [(FarewellError, Copy.Key)] = [
            (.exportLimit, .exportLimited), (.offline, .unreachable), (.exportFailed, .exportFailed), (.exportsOff, .exportFailed),
            (FarewellError("device.sign-in-again", .yoursToFix, "401"), .exportSignIn),
        ]
        for (error, key) in texts {
            let model = ExportModel(ScriptedExports(failing: [error]))
            await model.start()
            #expect(model.failure == model.copy[key] && model.isTelling)
            model.isTelling = false
            #expect(model.state == .idle && model.isEnabled)
            await model.start()
            #expect(model.archive != nil)
        }
    }
}
