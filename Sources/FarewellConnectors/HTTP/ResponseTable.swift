// SPDX-License-Identifier: Apache-2.0

import Farewell

/// What a connector makes of the responses of its system, line by line: the first line that fits counts. What no line
/// fits is left to the lines of HTTP (``ResponseTable/http``).
///
/// The tables are what the connectors decide by, what `docs/systems/responses.md` shows and what the tests go through.
package struct ResponseTable: Sendable {
    /// The kind of system, as a plan writes it, or the family of several.
    package let kind: String
    package let lines: [ResponseLine]

    package init(_ kind: String, _ lines: [ResponseLine]) {
        self.kind = kind
        self.lines = lines
    }

    /// - Parameters:
    ///   - code: The system's own code; empty where it sent none.
    ///   - message: Its sentence; only looked through, never shown.
    package func line(_ status: Int, code: String, message: String = "") -> ResponseLine {
        lines.first { $0.fits(status, code, message) }
            ?? Self.http.lines.first { $0.fits(status, code, message) }
            ?? ResponseLine([], .refused("{code}"), "https://www.rfc-editor.org/rfc/rfc9110#section-15.5")
    }

    /// What a response means where it is no answer.
    ///
    /// - Parameters:
    ///   - permission: The right that the call needs.
    ///   - detail: A date, a region or a link out of the response, where the table speaks of one.
    package func fault(
        _ status: Int, code: String, message: String = "", of system: String, needs permission: String,
        detail: String? = nil, retryAfter: Double? = nil
    ) -> ConnectorFault {
        let shown = code.isEmpty ? "status \(status)" : code
        return line(status, code: code, message: message).outcome
            .fault(of: system, needs: permission, shown: shown, detail: detail, retryAfter: retryAfter)
    }

    /// Statuses of HTTP that mean the same wherever they come from (RFC 9110, section 15; RFC 6585).
    package static let http = ResponseTable(
        "every kind",
        [
            .init([408, 425], .again, "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.9"),
            .init([429], .later, "https://www.rfc-editor.org/rfc/rfc6585#section-4"),
            .init([401, 403], .credentials, "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2"),
            .init(
                [501], .refused("it does not do what is asked for (501)"),
                "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.2"),
            .init(Array(500...599), .again, "https://www.rfc-editor.org/rfc/rfc9110#section-15.6"),
            .init(
                Array(300...399), .misconfigured("it sends us elsewhere, and we do not follow"),
                "https://www.rfc-editor.org/rfc/rfc9110#section-15.4"),
        ])
}

/// One line of a ``ResponseTable``.
package struct ResponseLine: Sendable, Hashable {
    /// Empty: any status.
    package let statuses: [Int]
    /// `nil`: any code.
    package let code: String?
    /// What the message contains; `nil`: whatever it says.
    package let saying: String?
    package let outcome: ResponseOutcome
    /// The page of the vendor, or the public report, that the line comes from.
    package let source: String

    package init(
        _ statuses: [Int] = [], code: String? = nil, saying: String? = nil, _ outcome: ResponseOutcome, _ source: String
    ) {
        self.statuses = statuses
        self.code = code
        self.saying = saying
        self.outcome = outcome
        self.source = source
    }

    func fits(_ status: Int, _ code: String, _ message: String) -> Bool {
        (statuses.isEmpty || statuses.contains(status)) && (self.code.map { $0.isByteEqual(to: code) } ?? true)
            && (saying.map { message.containsBytes($0) } ?? true)
    }

    /// The response in words, for the documentation.
    package var response: String {
        let status =
            switch statuses.count {
            case 0: "any status"
            case 1...3: statuses.map(String.init).joined(separator: ", ")
            default: "\(statuses[0]) to \(statuses[statuses.count - 1])"
            }
        return status + (code.map { " `\($0)`" } ?? "") + (saying.map { ", saying “\($0)”" } ?? "")
    }
}

/// What is made of a response.
package enum ResponseOutcome: Sendable, Hashable {
    /// It passes by itself: the call is repeated with growing pauses.
    case again
    /// The system asks for patience: the call is repeated when it says.
    case later
    /// The erasure parks until the key or its rights are mended.
    case credentials
    /// The erasure parks until the plan is corrected; why, in words. `{detail}` is a part of the response.
    case misconfigured(String)
    /// The erasure parks; why, in words. `{code}` is the system's own code.
    case refused(String)
    /// The thing is not there. It counts only in a place that is proved.
    case absent
    /// The thing is held and stays; everything else goes before that is reported.
    case kept(String)

    func fault(
        of system: String, needs permission: String, shown: String, detail: String?, retryAfter: Double?
    ) -> ConnectorFault {
        func filled(_ text: String) -> String {
            text.replacing("{code}", with: shown).replacing("{detail}", with: detail ?? "another one")
        }
        return switch self {
        case .again: .passing(system, shown, retryAfter: retryAfter)
        case .later: .throttled(system, retryAfter: retryAfter)
        case .credentials: .credentials(system, needs: permission)
        case .misconfigured(let why): .misconfigured(system, filled(why))
        case .refused(let why), .kept(let why): .refused(system, filled(why))
        case .absent: .misconfigured(system, "what the plan names is not there (\(shown))")
        }
    }

    /// The outcome in words, for the documentation.
    package var words: String {
        switch self {
        case .again: "tried again"
        case .later: "tried again when the system says"
        case .credentials: "parked: credentials, with the missing right"
        case .misconfigured(let why): "parked: \(why)"
        case .refused(let why): "parked: \(why)"
        case .absent: "nothing there, in a proved place"
        case .kept(let why): "kept and reported, after the rest is gone: \(why)"
        }
    }
}
