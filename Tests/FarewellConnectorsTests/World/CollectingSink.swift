// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Keeps what a connector reads.
final class CollectingSink: ConnectorSink {
    struct Item: Sendable {
        var name: String
        var bytes: [UInt8] = []
        var isEnded = false
    }

    private let read = Guarded<[Item]>([])

    private let omitted = Guarded<[ConnectorOmission]>([])

    /// What the connector did not hand over.
    var omissions: [ConnectorOmission] { omitted.withLock { $0 } }

    /// The items that are complete.
    var items: [Item] { read.withLock { $0.filter(\.isEnded) } }

    func begin(_ name: String) throws { read.withLock { $0.append(Item(name: name)) } }
    func add(_ bytes: [UInt8]) throws { read.withLock { $0[$0.count - 1].bytes += bytes } }
    func leaveOut(_ omission: ConnectorOmission) throws { omitted.withLock { $0.append(omission) } }
    func end() throws { read.withLock { $0[$0.count - 1].isEnded = true } }
}
