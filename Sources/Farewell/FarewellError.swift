// SPDX-License-Identifier: Apache-2.0

/// Everything that can go wrong in Farewell, as one value that is safe to log.
///
/// A message says what is wrong and where; a remedy says what to do. Neither ever holds a token, an e-mail
/// address or a value read from a row, so that an error may travel into any log.
public struct FarewellError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An open, stable, machine-readable name such as `plan.unreadable` or `sql.23503`.
    public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { self.rawValue = value }
    }

    /// The party that can solve it. Decides the exit status of the command, the HTTP status and whether to retry.
    public enum Family: String, Sendable, Hashable, CaseIterable {
        /// The request, the plan or the set-up is wrong: asking again unchanged cannot help.
        case yoursToFix = "yours to fix"
        /// A passing condition: the same request may succeed later.
        case tryAgain = "try again"
        /// A defect or a state of the server that only its operators can correct.
        case ours
    }

    public let code: Code
    public let family: Family
    /// One sentence: the fault and its place. Safe to log.
    public let message: String
    /// One sentence: the remedy, if there is one. Safe to log.
    public let remedy: String?
    /// The place in the database, if a function of the database raised the error.
    package let refusedPlace: RefusedPlace?

    public init(_ code: Code, _ family: Family, _ message: String, remedy: String? = nil) {
        self.code = code
        self.family = family
        self.message = message
        self.remedy = remedy
        self.refusedPlace = nil
    }

    package init(
        _ code: Code, _ family: Family, _ message: String, remedy: String? = nil, refusedPlace: RefusedPlace?
    ) {
        self.code = code
        self.family = family
        self.message = message
        self.remedy = remedy
        self.refusedPlace = refusedPlace
    }

    public var description: String {
        guard let remedy else { return message }
        return "\(message) \(remedy)"
    }
}
