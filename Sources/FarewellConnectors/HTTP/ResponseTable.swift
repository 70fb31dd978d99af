// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A connector's interpretation of its system's responses, line by line: the first matching line counts. A response
/// without a matching line is left to the lines of HTTP (``ResponseTable/http``).
///
/// The connectors decide by these tables, `docs/systems/responses.md` shows them, and the tests go through them.
package struct ResponseTable: Sendable {
    /// The kind of system, as a plan writes it, or what else is asked.
    package let kind: String
    package let lines: [ResponseLine]

    package init(_ kind: String, _ lines: [ResponseLine]) {
        self.kind = kind
        self.lines = lines
    }

    /// - Parameters:
    ///   - code: The system's own code; empty if it sent none.
    ///   - message: The text of its error, searched for known words and never shown.
    package func line(_ status: Int, code: String, message: String = "") -> ResponseLine {
        lines.first { $0.fits(status, code, message) }
            ?? Self.http.lines.first { $0.fits(status, code, message) }
            ?? ResponseLine([], .refused("{code}"), "https://www.rfc-editor.org/rfc/rfc9110#section-15.5")
    }

    /// The meaning of a response that is no answer.
    ///
    /// - Parameters:
    ///   - permission: The right that the call needs.
    ///   - detail: A date, a region or a link from the response, if the table names one.
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
                [501], .refused("it does not support the request (501)"),
                "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.2"),
            .init(Array(500...599), .again, "https://www.rfc-editor.org/rfc/rfc9110#section-15.6"),
            .init(
                Array(300...399), .misconfigured("it redirects, and Farewell does not follow redirects"),
                "https://www.rfc-editor.org/rfc/rfc9110#section-15.4"),
        ])
}
