// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// What goes to a provider of identity and comes back: what for, until when it is good, and whose browser it is.
struct SignInState: Sendable, Equatable {
    let purpose: Purpose
    let until: Date
    let random: String

    /// Where a sign-in leads.
    enum Purpose: String, Sendable, CaseIterable { case account, delete, console }

    private static let life = 600.0

    init(_ purpose: Purpose, from now: Date, random: String) {
        self.init(purpose: purpose, until: now.addingTimeInterval(Self.life), random: random)
    }

    private init(purpose: Purpose, until: Date, random: String) {
        self.purpose = purpose
        self.until = until
        self.random = random
    }

    /// Nil unless it was made for this browser and one of these purposes, is whole and is still good.
    init?(_ text: String, for purposes: Set<Purpose>, _ guarding: PageGuard, visit: String, now: Date) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let purpose = Purpose(rawValue: parts[0]), purposes.contains(purpose),
            let end = Int64(parts[1]),
            guarding.isOurs(parts[3], visit: visit, session: "sign-in \(parts[..<3].joined(separator: "."))")
        else { return nil }
        self.init(purpose: purpose, until: Date(timeIntervalSince1970: Double(end)), random: parts[2])
        guard until > now else { return nil }
    }

    func text(_ guarding: PageGuard, visit: String) -> String {
        words + "." + guarding.token(visit: visit, session: "sign-in \(words)")
    }

    /// 256 bits that are known to us alone, bound to this state and its browser: a nonce, or what proves a code.
    func secret(_ name: String, _ guarding: PageGuard, visit: String) -> String {
        guarding.token(visit: visit, session: "sign-in \(name) \(random)")
    }

    /// What somebody's answer claims to be for; nobody's word, and it only chooses among pages.
    static func claimed(_ text: String) -> Purpose? { Purpose(rawValue: String(text.prefix { $0 != "." })) }

    private var words: String { "\(purpose.rawValue).\(Int64(until.timeIntervalSince1970)).\(random)" }
}
