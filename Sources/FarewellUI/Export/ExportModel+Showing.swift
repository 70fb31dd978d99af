// SPDX-License-Identifier: Apache-2.0

import Farewell
public import Foundation

/// The values that a view shows of the model, and the answers of a platform.
extension ExportModel: ProofAsking {
    package var proofTitle: String { copy[.exportData] }

    /// The problem of the last proof; nil if there was none.
    public var proofProblem: String? { if case .proving(let text) = state { text } else { nil } }

    /// Whether a proof is being checked.
    public var isChecking: Bool { state == .checking }

    /// The progress, from 0 to 1; nil while nothing runs.
    public var fraction: Double? { if case .working(let part) = state { part } else { nil } }

    /// The archive to share; nil if there is none.
    public var archive: URL? { if case .ready(let file) = state { file } else { nil } }

    /// The text of the failure; nil if there is none.
    public var failure: String? { if case .failed(let text) = state { text } else { nil } }

    /// Whether the view requests a proof. Platforms dismiss it by setting this to false, which cancels.
    public var isProving: Bool {
        get {
            switch state {
            case .proving, .checking: true
            case .idle, .working, .ready, .failed: false
            }
        }
        set { if !newValue, isProving { cancel() } }
    }

    /// Whether a failure is shown; dismissed in the same way.
    public var isTelling: Bool {
        get { failure != nil }
        set { if !newValue, isTelling { cancel() } }
    }
}
