// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Foundation
public import Observation

/// Deleting an account: a question first, a proof of identity after an old sign-in, then progress, then the end.
@MainActor
@Observable
public final class DeletionModel: PersonalModel {
    /// The state.
    public enum State: Sendable, Hashable {
        case idle
        /// Asked: `confirm` or `cancel`.
        case confirming
        /// The sign-in is too old: `prove` or `cancel`. With the problem of the last proof, if there was one.
        case proving(String?)
        /// A proof is checked; nothing is deleted yet. `cancel` still cancels.
        case checking
        /// In progress: everything else is disabled. With the server's word for its state.
        case working(String?)
        /// The account is deleted, or its deletion is accepted, and this device is clean.
        case done
        /// Not done: signed in as before, nothing changed. With the text to show.
        case failed(String)
    }

    public private(set) var state = State.idle
    /// The proofs that the account can give, while the view requests one.
    public private(set) var proofs: [IdentityProof.Kind] = []
    /// Whether a code was sent to the account's address.
    public private(set) var isCodeSent = false
    /// Counts proofs: the answer to one that was cancelled is dropped.
    private var proofNumber = 0
    /// The effects that the view must still perform once.
    public private(set) var effects: [ScreenEffect] = []
    /// The state of the last deletion when this device was cleared: its number, which identifies no user, and the end
    /// of its grace period. Stays until `putAwayReceipt`, whichever user is signed in.
    public private(set) var receipt: DeletionProgress?
    /// The signed receipt and its page, as files to hand on; none if the server offered none. Removed when the
    /// receipt is dismissed.
    public private(set) var receiptFiles: [URL] = []
    /// The texts, which an app may replace.
    public let copy: Copy
    private let service: any AccountService
    private let files: ReceiptFiles

    /// - Parameter folder: Where the files of a receipt are made.
    public init(
        _ service: any AccountService, copy: Copy = .english,
        receiptsIn folder: URL = FileManager.default.temporaryDirectory
    ) {
        self.service = service
        self.copy = copy
        files = ReceiptFiles(folder: folder)
    }

    /// Whether the account is being deleted; other deletions by the app do not count (AD-9).
    public var isDeletingAccount: Bool { if case .working = state { true } else { false } }

    /// Asks first (AD-2).
    public func ask() {
        guard !isDeletingAccount, state != .done else { return }
        state = .confirming
    }

    /// Nothing happens (AD-3).
    public func cancel() {
        switch state {
        case .confirming, .proving, .checking, .failed: state = .idle
        case .idle, .working, .done: return
        }
    }

    /// Deletes the account, once however often it is tapped (AD-4).
    public func confirm() async {
        guard state == .confirming else { return }
        await delete(proof: nil)
    }

    /// Proves who the user is, then deletes. A wrong or cancelled proof is reported as such and changes nothing.
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

    /// Has a code sent to the account's address.
    public func sendCode() async {
        guard case .proving = state else { return }
        do {
            try await service.sendCode()
            isCodeSent = true
        } catch {
            guard case .proving = state else { return }
            showProofProblem(proofProblem(error))
        }
    }

    private func showProofProblem(_ words: String) {
        state = .proving(words)
        effects.append(.announce(words))
    }

    private func proofProblem(_ error: any Error) -> String {
        let error = error as? FarewellError
        if error?.code == FarewellError.proofCancelled.code { return copy[.proofCancelled] }
        if error?.code == "device.another-person" { return copy[.proofOfAnother] }
        return error?.family == .tryAgain ? copy[.unreachable] : copy[.proofWrong]
    }

    private func delete(proof: Token?) async {
        state = .working(nil)
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
            receipt = last
            if let signed = last.receipt { receiptFiles = files.make(signed, number: last.id ?? "") }
            state = .done
            effects.append(.announce(copy[.deleted]))
        } catch {
            report.finish()
            await following.value
            state = await after(error)
        }
    }

    /// AD-6, CF-5: unreachable differs from failed; after an old sign-in a proof is required; if the sign-in no longer
    /// counts, or the server does not allow it, another try of the same does not help.
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

    /// There is neither a question nor a failure; a running deletion continues, and pending effects stay.
    public func reset() {
        if !isDeletingAccount { state = .idle }
        proofs = []
        isCodeSent = false
    }

    /// The user has seen it.
    public func putAwayReceipt() {
        receipt = nil
        files.remove(receiptFiles)
        receiptFiles = []
    }

    /// The pending effects, each handed over once.
    public func takeEffects() -> [ScreenEffect] { effects.takeAll() }

    package func takeAnnouncements() -> [ScreenEffect] { effects.takeAnnouncements() }
}
