// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Counts one attempt at the account of an address by one source. The statements are the same whether or not the
/// account exists; the database decides which counters they change.
///
/// A device that is known to the account has its own counter. Any other caller counts by its network and, if neither is
/// known to the account, also for all unknown sources together. Attempts beyond a source's own limit do not count for
/// the others.
struct AttemptCount: Sendable {
    let rule: AttemptRule
    private let device: [UInt8]?
    private let network: [UInt8]
    private let unknownSources: [UInt8]?
    /// The limit of the network's counter.
    private let most: Int
    private let statements: [SQLStatement]

    init(
        _ rule: AttemptRule, of address: String, from source: SourceHashes, store: AttemptStore, keys: AuthorityKeys,
        now: Date
    ) {
        self.rule = rule
        device = source.device.map { keys.counter(rule, of: address, from: $0) }
        network = keys.counter(rule, of: address, from: source.network)
        unknownSources = rule.unknownSources.map { _ in keys.unknownSourcesCounter(rule, of: address) }
        // Callers without a network have no source of their own; together they are all unknown sources.
        most = source.isNetworkNamed ? rule.perSource : max(rule.perSource, rule.unknownSources ?? 0)
        let began = now.addingTimeInterval(-rule.window)
        let oldest = now.addingTimeInterval(-KnownSourceStore.life)
        var statements: [SQLStatement] = []
        let isKnownDevice = source.device.map { KnownSourceCondition([$0], of: address, since: oldest) }
        if let device, let isKnownDevice {
            statements.append(store.count(device, now: now, windowBegan: began, where: isKnownDevice, is: true))
        }
        statements.append(store.count(network, now: now, windowBegan: began, where: isKnownDevice, is: false))
        if let unknownSources {
            let isKnown = source.known.isEmpty ? nil : KnownSourceCondition(source.known, of: address, since: oldest)
            statements.append(
                store.count(
                    unknownSources, now: now, windowBegan: began, where: isKnown, is: false, within: (network, most)))
        }
        self.statements = statements
    }

    /// The counts in the database.
    struct Outcome: Sendable {
        /// Whether the attempt is within the limit of its own source.
        let isWithinOwn: Bool
        /// Whether the attempt is within every limit.
        let isWithin: Bool
        /// The counter of the source itself.
        let source: [UInt8]
        /// The counter of all unknown sources, if this source is one.
        let unknownSources: [UInt8]?
    }

    /// The statements, and the reading of their counts.
    var queries: StoreQueries<Outcome> { StoreQueries(statements) { try outcome($0) } }

    /// - Parameter results: Those of `statements`.
    private func outcome(_ results: some Collection<SQLResult>) throws -> Outcome {
        var counts = results.map { $0.scalar?.integer }[...]
        guard counts.count == statements.count else { throw RowReader.unreadable }
        let byDevice = device == nil ? nil : counts.removeFirst()
        let byNetwork = counts.removeFirst()
        let byUnknownSources = unknownSources == nil ? nil : counts.removeFirst()
        guard byDevice != nil || byNetwork != nil else { throw RowReader.unreadable }
        let isWithinOwn = (byDevice ?? 0) <= rule.perSource && (byNetwork ?? 0) <= most
        return Outcome(
            isWithinOwn: isWithinOwn,
            isWithin: isWithinOwn && (byUnknownSources ?? 0) <= Int64(rule.unknownSources ?? .max),
            source: byDevice == nil ? network : device ?? network,
            unknownSources: byUnknownSources == nil ? nil : unknownSources)
    }
}
