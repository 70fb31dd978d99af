// SPDX-License-Identifier: Apache-2.0
import FarewellKeys

/// The purpose of the key that names a counter: the counter's rule, and the callers that it counts together.
struct CounterPurpose: KeyPurpose {
    let rule: Rule
    let scope: Scope

    static let allCases = Rule.allCases.flatMap { rule in Scope.allCases.map { CounterPurpose(rule: rule, scope: $0) } }

    var label: String {
        let mails = rule.mails.map { "/\($0.rawValue)" } ?? ""
        return "farewell/authority/lookup/\(rule.kind.rawValue)\(mails)\(scope.rawValue)/v1"
    }

    /// The callers whose attempts one counter counts.
    enum Scope: String, Sendable, Hashable, CaseIterable {
        case source = ""
        case callers = "/callers"
        case unknownSources = "/strangers"
    }

    /// The rule of a counter.
    struct Rule: Sendable, Hashable, CaseIterable {
        let kind: Kind
        /// The kind of mails that it counts; `nil` if it counts no mails.
        let mails: MailPurpose?

        static let allCases = Kind.allCases.flatMap { kind in
            kind.isOfMails ? MailPurpose.allCases.map { Rule(kind: kind, mails: $0) } : [Rule(kind: kind, mails: nil)]
        }

        static let password = Rule(kind: .password, mails: nil)
        static let code = Rule(kind: .code, mails: nil)
        static let newAddresses = Rule(kind: .newAddresses, mails: nil)
    }

    /// The kind of a rule.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        case password = "password-attempts"
        case code = "code-attempts"
        case mailMinute = "mail-minute"
        case mailWindow = "mail-window"
        case mailDay = "mail-day"
        case newAddresses = "new-addresses"

        /// Whether each kind of mails has a counter of its own.
        var isOfMails: Bool {
            switch self {
            case .mailMinute, .mailWindow, .mailDay: true
            case .password, .code, .newAddresses: false
            }
        }
    }
}
