// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Foundation
public import Observation

/// The deletion of an account on a screen: a question, after an old sign-in a proof of identity, progress, the end.
@MainActor
@Observable
public final class DeletionModel: PersonalModel {
    /// The state.
    public enum State: Sendable, Hashable {
        case idle
        /// The user is asked; the screen calls `confirm` or `cancel`.
        case confirming
        /// The sign-in is too old; the screen calls `prove` or `cancel`. The text is the last proof's problem, if any.
        case proving(String?)
        /// A proof is checked; nothing is deleted yet. `cancel` still cancels.
        case checking
        /// The deletion is in progress; everything else is disabled. The text is the server's word for the state.
        case working(String?)
        /// The account is deleted, or its deletion is accepted. `result` says what is left on this device.
        case done
        /// The deletion failed: the user is signed in as before, and nothing has changed. The text is to be shown.
        case failed(String)
    }

    public private(set) var state = State.idle
    /// The proofs that the account can give, while the view requests one.
    public private(set) var proofs: [IdentityProof.Kind] = []
    /// Whether a code was sent to the account's address.
    public private(set) var isCodeSent = false
    /// The number of the newest proof: the answer to a cancelled one is dropped.
    private var proofNumber = 0
    /// The number of resets: the failure of a former user's request is not shown.
    private var era = 0
    /// The effects that the view has not performed yet; it performs each once.
    public private(set) var effects: [ScreenEffect] = []
    /// The result of the last deletion: the server's state when this device was cleared, and the data left here.
    /// It identifies no user, and stays until `putAwayReceipt`, even if another user signs in.
    public private(set) var result: DeletionResult?
    /// The state of the last deletion when this device was cleared: its number, which identifies no user, and the end
    /// of its grace period.
    public var receipt: DeletionProgress? { result?.server }
    /// The files of the signed receipt and its page, to share; empty if the server offered no receipt. They are removed
    /// when the receipt is dismissed, or by a later process of the app.
    public private(set) var receiptFiles: [URL] = []
    /// The texts, which an app may replace.
    public let copy: Copy
    private let service: any AccountService
    private let files: ReceiptFiles

    /// - Parameter folder: Where the files of a receipt are made. Those of a process that has ended are removed.
    public init(
        _ service: any AccountService, copy: Copy = .english,
        receiptsIn folder: URL = FileManager.default.temporaryDirectory
    ) {
        self.service = service
        self.copy = copy
        files = ReceiptFiles(in: folder)
        files.removeLeft()
    }

    /// Whether the account is being deleted; other deletions by the app do not count (AD-9).
    public var isDeletingAccount: Bool { if case .working = state { true } else { false } }

    /// Begins with the question (AD-2).
    public func ask() {
        guard !isDeletingAccount, state != .done else { return }
        state = .confirming
    }

    /// Ends the question or the proof; nothing is deleted (AD-3).
    public func cancel() {
        switch state {
        case .confirming, .proving, .checking, .failed: state = .idle
        case .idle, .working, .done: return
        }
    }

    /// Deletes the account: once, even if the button is tapped several times (AD-4).
    public func confirm() async {
        guard state == .confirming else { return }
        await delete(proof: nil)
    }

    /// Checks the user's proof, then deletes. A wrong or cancelled proof is reported as such and changes nothing.
    public func prove(_ proof: AccountProof) async {
        guard case .proving = state else { return }
        state = .checking
        proofNumber += 1
        let number = proofNumber
        let confirmation: Token?
        do {
            confirmation = try await service.confirm(proof)
        } catch {
            guard state == .checking, number == proofNumber else { return }
            return showProofProblem(proofProblem(error))
        }
        guard state == .checking, number == proofNumber else { return }
        await delete(proof: confirmation)
    }

    /// Requests a code by mail to the account's address.
    public func sendCode() async {
        guard case .proving = state else { return }
        let era = era
        do {
            try await service.sendCode()
            if era == self.era { isCodeSent = true }
        } catch {
            guard case .proving = state, era == self.era else { return }
            showProofProblem(proofProblem(error))
        }
    }

    private func showProofProblem(_ words: String) {
        state = .proving(words)
        effects.append(.announce(words))
    }

    private func proofProblem(_ error: any Error) -> String {
        words(
            about: error, cancelled: .proofCancelled, ofAnother: .proofOfAnother, wrong: .proofWrong)
    }

    private func delete(proof: Token?) async {
        state = .working(nil)
        let era = era
        effects += [.haptic(.medium), .announce(copy[.removingLabel])]
        let (reports, report) = AsyncStream.makeStream(of: DeletionProgress.self)
        let following = Task {
            for await progress in reports where isDeletingAccount { state = .working(progress.state) }
        }
        defer { following.cancel() }
        do {
            let last = try await service.deleteAccount(proof: proof) { report.yield($0) }
            report.finish()
            await following.value
            putAwayReceipt()
            result = last
            if let signed = last.server.receipt { receiptFiles = files.make(signed, number: last.server.id ?? "") }
            state = .done
            effects.append(.announce(copy[.deleted]))
            if !last.isDeviceClean { effects.append(.announce(copy[.leftOnDevice])) }
        } catch {
            report.finish()
            await following.value
            let next = await after(error)
            state = next
            // By now another user may be looking.
            if era != self.era { reset() }
        }
    }

    /// The state after an error (AD-6, CF-5). A server that was not reached and a failure have different texts. After
    /// an old sign-in a proof is required. If the sign-in no longer counts, or the server does not allow the deletion,
    /// the text says so, because another attempt would not help.
    private func after(_ error: any Error) async -> State {
        guard let code = (error as? FarewellError)?.code else { return .failed(copy[.failed]) }
        if code == "device.recent-sign-in-needed" {
            isCodeSent = false
            proofs = await service.proofs()
            return proofs.isEmpty ? .failed(copy[.signInAgain]) : .proving(nil)
        }
        return switch code {
        case "device.offline": .failed(copy[.unreachable])
        case "device.sign-in-again", "device.signed-out": .failed(copy[.signInAgain])
        case "device.forbidden", "device.deletion-403": .failed(copy[.forbidden])
        default: .failed(copy[.failed])
        }
    }

    /// Removes a question or a failure; a running deletion continues, and pending effects stay.
    public func reset() {
        era += 1
        if !isDeletingAccount { state = .idle }
        proofs = []
        isCodeSent = false
    }

    /// Removes the receipt and its files, once the user has seen it.
    public func putAwayReceipt() {
        result = nil
        files.remove(receiptFiles)
        receiptFiles = []
    }

    /// The pending effects, each handed over once.
    public func takeEffects() -> [ScreenEffect] { effects.takeAll() }

    package func takeAnnouncements() -> [ScreenEffect] { effects.takeAnnouncements() }
}
