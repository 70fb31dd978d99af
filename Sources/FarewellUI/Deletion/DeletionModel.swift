// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Foundation
public import Observation

/// Deleting an account: asked first, shown again who it is where the sign-in is old, then progress, then the end.
@MainActor
@Observable
public final class DeletionModel: PersonalModel {
    /// Where it stands.
    public enum State: Sendable, Hashable {
        case idle
        /// Asked: `confirm` or `cancel`.
        case confirming
        /// The sign-in is too old: `prove` or `cancel`. With what went wrong before, if anything.
        case proving(String?)
        /// Under way: everything else is shut off. With the server's word for where it stands.
        case working(String?)
        /// The account is gone, or surely going, and this device is clean.
        case done
        /// Not done: signed in as before, nothing changed. With what to say.
        case failed(String)
    }

    public private(set) var state = State.idle
    /// What the view has still to do once.
    public private(set) var effects: [ScreenEffect] = []
    /// How the last deletion stood when this device was cleared: its number, which is nobody's name, and until when it
    /// can be taken back. Stays until `putAwayReceipt`, whoever is signed in.
    public private(set) var receipt: DeletionProgress?
    /// The signed receipt and its page, as files to hand on; none where the server offered none. They go when the
    /// receipt is put away.
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

    /// Whether the account is being deleted; no other deletion of the app is meant (AD-9).
    public var isDeletingAccount: Bool { if case .working = state { true } else { false } }

    /// Asks first (AD-2).
    public func ask() {
        guard !isDeletingAccount, state != .done else { return }
        state = .confirming
    }

    /// Nothing happens (AD-3).
    public func cancel() {
        switch state {
        case .confirming, .proving, .failed: state = .idle
        case .idle, .working, .done: return
        }
    }

    /// Deletes the account, once however often it is tapped (AD-4).
    public func confirm() async {
        guard state == .confirming else { return }
        await delete()
    }

    /// Shows again who it is, then goes on.
    public func prove(password: String) async {
        guard case .proving = state else { return }
        state = .working(nil)
        do {
            try await service.confirm(password: password)
        } catch {
            state = .proving(Self.isAway(error) ? copy[.unreachable] : copy[.confirmIdentity])
            return
        }
        await delete()
    }

    private func delete() async {
        state = .working(nil)
        effects += [.haptic(.medium), .announce(copy[.removingLabel])]
        let (reports, report) = AsyncStream.makeStream(of: DeletionProgress.self)
        let following = Task {
            for await progress in reports where isDeletingAccount { state = .working(progress.state) }
        }
        defer { following.cancel() }
        do {
            let last = try await service.deleteAccount { report.yield($0) }
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
            state = after(error)
        }
    }

    /// AD-6: unreachable is told apart from failed; an old sign-in is asked for again.
    private func after(_ error: any Error) -> State {
        let code = (error as? FarewellError)?.code
        if code == "device.recent-sign-in-needed" { return .proving(nil) }
        return .failed(code == "device.offline" ? copy[.unreachable] : copy[.failed])
    }

    private static func isAway(_ error: any Error) -> Bool { (error as? FarewellError)?.family == .tryAgain }

    /// Nothing is asked and nothing has failed; a deletion that is under way goes on, what is still to be said stays.
    public func reset() {
        if !isDeletingAccount { state = .idle }
    }

    /// The person has seen it.
    public func putAwayReceipt() {
        receipt = nil
        files.remove(receiptFiles)
        receiptFiles = []
    }

    /// What is to be done once, handed over for good.
    public func takeEffects() -> [ScreenEffect] { effects.takeAll() }
}
