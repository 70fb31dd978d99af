// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell

/// The statements that the server has prepared on one connection; the least recently used is dropped first.
///
/// Nothing is dropped while a transaction is open: `DEALLOCATE` fails in a failed transaction, and its error would
/// replace the cause. If there is no room then, a statement is prepared without a name, which needs no room.
struct StatementCache: Sendable {
    /// The same text with other parameter types is another statement to the server, and so is a text whose letters are
    /// composed in another way.
    struct Key: Hashable, Sendable {
        let text: ExactText
        let types: [Oid]
    }

    enum Plan: Sendable {
        case prepared(String)
        /// To be prepared under this name; without a name if there is no room.
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
    /// Whether a statement has found no room since room was last made.
    private var hasOverflowed = false

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
        guard entries.count < limit else {
            hasOverflowed = true
            return .prepare("")
        }
        let name = "farewell_\(uses)"
        entries[key] = Entry(name: name, lastUse: uses)
        return .prepare(name)
    }

    /// Gives up the least recently used, so that these statements find room. To be called between transactions only.
    mutating func makeRoom(for keys: @autoclosure () -> [Key], atMost count: Int) {
        guard limit > 0, hasOverflowed || entries.count + count > limit else { return }
        let wanted = Set(keys())
        let missing = wanted.count { entries[$0] == nil }
        let excess = max(entries.count + missing - limit, hasOverflowed ? max(limit / 4, 1) : 0)
        hasOverflowed = false
        guard excess > 0 else { return }
        let unwanted = entries.filter { !wanted.contains($0.key) }.sorted { $0.value.lastUse < $1.value.lastUse }
        for entry in unwanted.prefix(excess) { forget(entry.key, serverHoldsIt: true) }
    }

    /// The names to give up now. If a name could not be given up, the caller returns it (`keep`).
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

    /// Forgets a statement whose preparation under this name failed.
    mutating func forget(_ key: Key, preparedAs name: String) {
        guard entries[key]?.name == name else { return }
        entries[key] = nil
    }

    /// After `DISCARD ALL` or a similar command: the server holds nothing any more.
    mutating func forgetAll() {
        entries = [:]
        doomed = []
    }
}
