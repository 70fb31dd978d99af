// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One line of a ``ResponseTable``.
package struct ResponseLine: Sendable, Hashable {
    /// Empty: any status.
    package let statuses: [Int]
    /// `nil`: any code.
    package let code: String?
    /// The text that the message contains; `nil` for any message.
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
