// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// Which statements the server has prepared on one connection, the least recently used given up first.
struct StatementCache: Sendable {
    /// The same text with other parameter types is another statement to the server.
    struct Key: Hashable, Sendable {
        let text: String
        let types: [Oid]
    }

    enum Plan: Sendable {
        case prepared(String)
        /// To be prepared under this name, after the other name (if any) is given up.
        case prepare(String)
    }

    private struct Entry: Sendable {
        let name: String
        var lastUse: Int
    }

    let limit: Int
    private var entries: [Key: Entry] = [:]
    /// Names the server still holds and no entry uses.
    private var doomed: [String] = []
    private var uses = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count }

    /// Plans the next use of a statement, in the order in which statements are sent.
    mutating func plan(_ key: Key) -> Plan {
        guard limit > 0 else { return .prepare("") }
        uses += 1
        if let name = entries[key]?.name {
            entries[key]?.lastUse = uses
            return .prepared(name)
        }
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            forget(oldest.key, serverHoldsIt: true)
        }
        let name = "farewell_\(uses)"
        entries[key] = Entry(name: name, lastUse: uses)
        return .prepare(name)
    }

    /// The names to give up now; the caller brings back (`keep`) one whose giving up did not happen.
    mutating func takeDoomed() -> [String] {
        defer { doomed = [] }
        return doomed
    }

    mutating func keep(doomed name: String) {
        doomed.append(name)
    }

    mutating func forget(_ key: Key, serverHoldsIt: Bool) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        if serverHoldsIt { doomed.append(entry.name) }
    }

    /// After `DISCARD ALL` or the like: the server holds nothing any more.
    mutating func forgetAll() {
        entries = [:]
        doomed = []
    }
}
