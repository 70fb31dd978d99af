// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Which signing key signs and which are still good, by time alone: a new key is published first, signs later, and
/// the one before stays good for as long as its last token may live.
struct KeySchedule: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let id: String
        let activeFrom: Date
    }

    /// Oldest first.
    let entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries.sorted { ($0.activeFrom, $0.id) < ($1.activeFrom, $1.id) }
    }

    /// The key that signs now: the newest that has begun, or the first one if none has.
    func signer(at now: Date) -> String? { (entries.last { $0.activeFrom <= now } ?? entries.first)?.id }

    /// The key that replaces the present signing key if that is removed: the next to sign. Never one that signed
    /// before, which was replaced for some reason.
    func successor(at now: Date) -> String? {
        let signer = signer(at: now)
        return entries.drop { $0.id != signer }.dropFirst().first?.id
    }

    /// Keys whose last token has expired: another has signed in their place for longer than a token lives.
    func outlived(at now: Date, tokenLife: Duration) -> [String] {
        zip(entries, entries.dropFirst())
            .filter { _, next in Self.end(before: next, tokenLife: tokenLife) <= now }
            .map(\.0.id)
    }

    /// The state of a key; `nil` for an unknown one.
    func standing(of id: String, at now: Date, tokenLife: Duration) -> SigningKeyRecord.Standing? {
        guard let place = entries.firstIndex(where: { $0.id == id }) else { return nil }
        let signer = entries.lastIndex { $0.activeFrom <= now } ?? 0
        if place > signer { return .coming }
        if place == signer { return .signing }
        return .verifying(until: Self.end(before: entries[place + 1], tokenLife: tokenLife))
    }

    /// When the last token has expired of the key before `next`, with a minute for clocks.
    private static func end(before next: Entry, tokenLife: Duration) -> Date {
        next.activeFrom.addingTimeInterval(tokenLife / .seconds(1) + 60)
    }
}
