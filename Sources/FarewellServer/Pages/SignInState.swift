// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// The state that a sign-in at an identity provider returns: its purpose, its expiry, and its browser.
struct SignInState: Sendable, Equatable {
    let purpose: Purpose
    let until: Date
    let random: String

    /// The purpose of a sign-in. Each has a key of its own.
    enum Purpose: String, Sendable, CaseIterable {
        case account, delete, console

        var key: PageKeys.Purpose {
            switch self {
            case .account: .accountState
            case .delete: .deletionState
            case .console: .consoleState
            }
        }
    }

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
    init?(_ text: String, for purposes: Set<Purpose>, _ keys: PageKeys, visit: String, now: Date) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let purpose = Purpose(rawValue: parts[0]), purposes.contains(purpose),
            let end = Int64(parts[1]), keys[purpose.key].accepts(parts[3], [visit, parts[1], parts[2]])
        else { return nil }
        self.init(purpose: purpose, until: Date(timeIntervalSince1970: Double(end)), random: parts[2])
        guard until > now else { return nil }
    }

    func text(_ keys: PageKeys, visit: String) -> String {
        let end = "\(Int64(until.timeIntervalSince1970))"
        return "\(purpose.rawValue).\(end).\(random)." + keys[purpose.key].text([visit, end, random])
    }

    /// 256 bits that are known to us alone, bound to this state and its browser: a nonce, or what proves a code.
    func secret(_ kind: PageKeys.Purpose, _ keys: PageKeys, visit: String) -> String {
        keys[kind].text([visit, purpose.rawValue, random])
    }

    /// The unverified purpose of an answer; it only chooses among pages.
    static func claimed(_ text: String) -> Purpose? { Purpose(rawValue: String(text.prefix { $0 != "." })) }
}
