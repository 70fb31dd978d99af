// SPDX-License-Identifier: Apache-2.0

import Farewell

extension DeletionModel: ProofAsking {
    package var proofTitle: String { copy[.deleteAccount] }
}

/// The values that a view shows of the model, and the answers of a platform.
extension DeletionModel {
    /// The text of the failure; nil if there is none.
    public var failure: String? { if case .failed(let text) = state { text } else { nil } }

    /// The problem of the last proof; nil if there was none.
    public var proofProblem: String? { if case .proving(let text) = state { text } else { nil } }

    /// Whether a proof is being checked.
    public var isChecking: Bool { state == .checking }

    /// The server's progress, from 0 to 1; nil if it reports none.
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

    /// Whether the question is shown. Platforms dismiss it by setting this to false, which cancels.
    public var isAsking: Bool {
        get { state == .confirming }
        set { if !newValue, isAsking { cancel() } }
    }

    /// Whether the view requests a proof; dismissed in the same way.
    public var isProving: Bool {
        get {
            switch state {
            case .proving, .checking: true
            case .idle, .confirming, .working, .done, .failed: false
            }
        }
        set { if !newValue, isProving { cancel() } }
    }

    /// Whether the account is being deleted, for the overlay over everything. No platform dismisses that.
    public var isCovering: Bool {
        get { isDeletingAccount }
        set {}
    }

    /// Whether a failure is shown; dismissed in the same way.
    public var isTelling: Bool {
        get { failure != nil }
        set { if !newValue, isTelling { cancel() } }
    }

    /// Whether there is a receipt to show; dismissed in the same way.
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
