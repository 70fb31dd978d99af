// SPDX-License-Identifier: Apache-2.0
import Crypto

/// The tokens seen last, by the SHA-256 of their text: a bounded memory in two halves. When the newer half is full, the
/// older one is dropped.
struct VerifiedTokenMemory: Sendable {
    struct Entry: Sendable {
        let token: VerifiedToken
        /// The time since which the checking keys have been fresh; `nil` for keys that do not age.
        let keysSince: Duration?
    }

    private let half: Int
    private var newer: [SHA256Digest: Entry] = [:]
    private var older: [SHA256Digest: Entry] = [:]

    init(capacity: Int) { half = capacity / 2 }

    var count: Int { newer.count + older.count }

    subscript(digest: SHA256Digest) -> Entry? { newer[digest] ?? older[digest] }

    mutating func remember(_ entry: Entry, as digest: SHA256Digest) {
        guard half > 0 else { return }
        if newer.count >= half {
            older = newer
            newer = [:]
        }
        newer[digest] = entry
    }

    mutating func forget(_ digest: SHA256Digest) {
        newer[digest] = nil
        older[digest] = nil
    }
}
