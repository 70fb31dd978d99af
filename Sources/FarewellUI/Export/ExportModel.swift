// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Foundation
public import Observation

/// Downloading one's own data: a proof of identity after an old sign-in, then progress, then the archive to share.
@MainActor
@Observable
public final class ExportModel: PersonalModel {
    /// The state.
    public enum State: Sendable, Hashable {
        case idle
        /// The sign-in is too old: `prove` or `cancel`. With the problem of the last proof, if there was one.
        case proving(String?)
        /// A proof is checked. `cancel` still cancels.
        case checking
        /// In progress, from 0 to 1. The app may be used meanwhile.
        case working(Double)
        /// The archive is on this device, for a share sheet.
        case ready(URL)
        /// With the text to show.
        case failed(String)
    }

    public private(set) var state = State.idle
    /// The proofs that the account can give, while the view requests one.
    public private(set) var proofs: [IdentityProof.Kind] = []
    /// Whether a code was sent to the account's address.
    public private(set) var isCodeSent = false
    /// The effects that the view must still perform once.
    public private(set) var effects: [ScreenEffect] = []
    /// The texts, which an app may replace.
    public let copy: Copy
    private let service: any AccountService
    /// Counts acts and resets: the answer to an earlier one is dropped.
    private var era = 0

    public init(_ service: any AccountService, copy: Copy = .english) {
        self.service = service
        self.copy = copy
    }

    /// Whether the backend and the device support downloads; without them the button is hidden.
    public var isOffered: Bool { service.exportsData }

    /// Whether the button may be used.
    public var isEnabled: Bool { if case .working = state { false } else { true } }

    /// Shows the archive that an earlier launch of the app downloaded, so that the user can share or remove it. The
    /// view calls this when it appears.
    public func restore() async {
        guard state == .idle, let archive = service.exportedData else { return }
        state = .ready(archive)
    }

    /// Requests and downloads the data, once however often it is tapped.
    public func start() async {
        switch state {
        case .idle, .failed: await export(proof: nil)
        case .proving, .checking, .working, .ready: return
        }
    }

    /// Proves who the user is, then exports. A wrong or cancelled proof is reported as such and changes nothing.
    public func prove(_ proof: AccountProof) async {
        guard case .proving = state else { return }
        state = .checking
        era += 1
        let own = era
        do {
            let confirmation = try await service.confirmExport(proof)
            guard state == .checking, own == era else { return }
            await export(proof: confirmation)
        } catch {
            guard state == .checking, own == era else { return }
            showProofProblem(proofProblem(error))
        }
    }

    /// Has a code sent to the account's address.
    public func sendCode() async {
        guard case .proving = state else { return }
        let own = era
        do {
            try await service.sendCode()
            if own == era { isCodeSent = true }
        } catch {
            guard case .proving = state, own == era else { return }
            showProofProblem(proofProblem(error))
        }
    }

    private func showProofProblem(_ words: String) {
        state = .proving(words)
        effects.append(.announce(words))
    }

    private func proofProblem(_ error: any Error) -> String {
        words(
            about: error, cancelled: .exportProofCancelled, ofAnother: .exportProofOfAnother, wrong: .exportProofWrong)
    }

    private func export(proof: Token?) async {
        era += 1
        let own = era
        state = .working(0)
        effects.append(.announce(copy[.exportWorking]))
        let (reports, report) = AsyncStream.makeStream(of: DataExport.self, bufferingPolicy: .bufferingNewest(1))
        let following = Task {
            for await progress in reports where own == era && !isEnabled { state = .working(progress.fraction) }
        }
        defer { following.cancel() }
        do {
            let archive = try await service.exportData(proof: proof) { report.yield($0) }
            report.finish()
            await following.value
            guard own == era else { return }
            state = .ready(archive)
            effects.append(.announce(copy[.exportReady]))
        } catch {
            report.finish()
            await following.value
            guard own == era else { return }
            await fail(error)
        }
    }

    private func fail(_ error: any Error) async {
        let own = era
        switch (error as? FarewellError)?.code {
        case "device.recent-sign-in-needed":
            isCodeSent = false
            let kinds = await service.proofs()
            guard own == era else { return }
            proofs = kinds
            state = kinds.isEmpty ? .failed(copy[.exportSignIn]) : .proving(nil)
        case FarewellError.exportLimit.code: state = .failed(copy[.exportLimited])
        case "device.sign-in-again", "device.signed-out": state = .failed(copy[.exportSignIn])
        case "device.offline": state = .failed(copy[.unreachable])
        default: state = .failed(copy[.exportFailed])
        }
    }

    /// Back to the button. A running export continues.
    public func cancel() {
        switch state {
        case .proving, .checking, .failed: state = .idle
        case .idle, .working, .ready: return
        }
    }

    /// Removes the archive from this device. If that fails, the archive is shown again.
    public func remove() async {
        guard case .ready = state else { return }
        state = .idle
        let own = era
        await service.removeExportedData()
        if own == era { await restore() }
    }

    /// Nothing of the former user is shown; what still runs for them is dropped.
    public func reset() {
        era += 1
        state = .idle
        proofs = []
        isCodeSent = false
    }

    /// The pending effects, each handed over once.
    public func takeEffects() -> [ScreenEffect] { effects.takeAll() }

    package func takeAnnouncements() -> [ScreenEffect] { effects.takeAnnouncements() }
}
