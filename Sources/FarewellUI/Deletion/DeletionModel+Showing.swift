// SPDX-License-Identifier: Apache-2.0

import Farewell

/// What a view shows of the model, and what a platform answers.
extension DeletionModel {
    /// What to say about the failure; nil where there is none.
    public var failure: String? { if case .failed(let text) = state { text } else { nil } }

    /// What went wrong with the last proof; nil where nothing did.
    public var proofProblem: String? { if case .proving(let text) = state { text } else { nil } }

    /// Whether a proof is being checked.
    public var isChecking: Bool { state == .checking }

    /// How far the server says it has come, from 0 to 1; nil where it has said nothing.
    public var fraction: Double? {
        guard case .working(.some(let word)) = state else { return nil }
        return switch ErasureState(rawValue: word) {
        case .requested, .grace: 0.1
        case .fenced: 0.25
        case .running, .needsAttention: 0.5
        case .verifying: 0.8
        case .done: 1
        case .cancelled, nil: nil
        }
    }

    /// Whether the question is shown. Platforms put it away by setting this to false, which cancels.
    public var isAsking: Bool {
        get { state == .confirming }
        set { if !newValue, isAsking { cancel() } }
    }

    /// Whether a proof is asked for; put away in the same way.
    public var isProving: Bool {
        get {
            switch state {
            case .proving, .checking: true
            case .idle, .confirming, .working, .done, .failed: false
            }
        }
        set { if !newValue, isProving { cancel() } }
    }

    /// Whether the account is being deleted, for what is shown over everything. No platform puts that away.
    public var isCovering: Bool {
        get { isDeletingAccount }
        set {}
    }

    /// Whether a failure is shown; put away in the same way.
    public var isTelling: Bool {
        get { failure != nil }
        set { if !newValue, isTelling { cancel() } }
    }

    /// Whether there is a receipt to show; put away in the same way.
    public var isShowingReceipt: Bool {
        get { receipt != nil }
        set { if !newValue { putAwayReceipt() } }
    }

    /// The dialog's button, whether the platform puts the dialog away, and so cancels, before or after it acts.
    public func confirmed() async {
        ask()
        await confirm()
    }
}
