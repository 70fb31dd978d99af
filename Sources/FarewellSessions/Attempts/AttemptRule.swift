// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How often something may be tried for one account within a window (decision 44).
struct AttemptRule: Sendable {
    /// Distinguishes the counters of one rule from those of another.
    let name: CounterPurpose.Rule
    /// Seconds.
    let window: TimeInterval
    /// Attempts of one source. Known and unknown sources have the same number, so that a caller cannot distinguish
    /// them.
    let perSource: Int
    /// Attempts of all unknown sources together; `nil` sets no limit of its own.
    let unknownSources: Int?

    /// Passwords, according to the settings.
    static func password(_ limit: AttemptLimit) -> AttemptRule {
        AttemptRule(
            name: .password, window: limit.window / .seconds(1),
            perSource: min(limit.perSource, limit.attempts), unknownSources: limit.attempts)
    }

    /// Digits of codes. Each code has its own limits as well (`CodeStore.attempt`).
    static let code = AttemptRule(name: .code, window: MailRequest.life, perSource: 10, unknownSources: nil)

    /// Mails of one purpose: more are refused. A mail that the first rule refuses does not count for the second.
    ///
    /// The window of the second is a minute shorter than a link is valid. So if unknown sources have used the
    /// limit up, the mailbox already holds a mail with a valid link.
    static func mails(_ purpose: MailPurpose) -> [AttemptRule] {
        [
            AttemptRule(name: .init(kind: .mailMinute, mails: purpose), window: 60, perSource: 1, unknownSources: nil),
            AttemptRule(
                name: .init(kind: .mailWindow, mails: purpose), window: MailRequest.life - 60, perSource: 2,
                unknownSources: 3),
        ]
    }

    /// Mails of one purpose that bring digits: further ones of the day bring the link alone. This bounds how many
    /// digits unknown sources can guess.
    static func mailsWithDigits(_ purpose: MailPurpose) -> AttemptRule {
        AttemptRule(
            name: .init(kind: .mailDay, mails: purpose), window: longestWindow, perSource: 24, unknownSources: 24)
    }

    /// New addresses that one account requests, in all its sessions: each causes a mail to an address that may be
    /// anyone's.
    static let newAddresses = AttemptRule(name: .newAddresses, window: 3_600, perSource: 10, unknownSources: nil)

    /// The longest window of the rules that no setting changes, in seconds.
    static let longestWindow: TimeInterval = 86_400
}
