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

    /// The key that signs now: the newest that has begun, or the first one where none has.
    func signer(at now: Date) -> String? { (entries.last { $0.activeFrom <= now } ?? entries.first)?.id }

    /// Keys whose last token has expired: another has signed in their place for longer than a token lives.
    func outlived(at now: Date, tokenLife: Duration) -> [String] {
        zip(entries, entries.dropFirst())
            .filter { _, next in next.activeFrom.addingTimeInterval(tokenLife / .seconds(1) + 60) <= now }
            .map(\.0.id)
    }
}
