// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The outcome of a response.
package enum ResponseOutcome: Sendable, Hashable {
    /// The condition is temporary: the call is repeated with growing pauses.
    case again
    /// The system asks for a pause: the call is repeated when it says.
    case later
    /// The erasure parks until the key or its rights are corrected.
    case credentials
    /// The erasure parks until the plan is corrected; why, in words. `{detail}` is a part of the response.
    case misconfigured(String)
    /// The erasure parks; why, in words. `{code}` is the system's own code.
    case refused(String)
    /// The system does not know the request. A connector that can ask in another way does so; otherwise the erasure
    /// parks; why, in words.
    case unsupported(String)
    /// The thing is not there. It counts only in a place that is proved.
    case absent
    /// The object is held and stays; everything else is deleted before that is reported.
    case kept(String)

    func fault(
        of system: String, needs permission: String, shown: String, detail: String?, retryAfter: Double?
    ) -> ConnectorFault {
        func filled(_ text: String) -> String {
            text.replacing("{code}", with: shown).replacing("{detail}", with: detail ?? "unknown")
        }
        return switch self {
        case .again: .passing(system, shown, retryAfter: retryAfter)
        case .later: .throttled(system, retryAfter: retryAfter)
        case .credentials: .credentials(system, needs: permission)
        case .misconfigured(let why): .misconfigured(system, filled(why))
        case .refused(let why), .kept(let why), .unsupported(let why): .refused(system, filled(why))
        case .absent: .misconfigured(system, "the plan's place does not exist (\(shown))")
        }
    }

    /// The outcome in words, for the documentation.
    package var words: String {
        switch self {
        case .again: "tried again"
        case .later: "tried again at the time that the system gives"
        case .credentials: "parked: credentials, with the missing right"
        case .misconfigured(let why): "parked: \(why)"
        case .refused(let why): "parked: \(why)"
        case .unsupported(let why): "asked in another way, or parked: \(why)"
        case .absent: "nothing there, in a proved place"
        case .kept(let why): "kept and reported after the rest is deleted: \(why)"
        }
    }
}
