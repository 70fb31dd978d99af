// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Keeps what a connector reads.
final class CollectingSink: ConnectorSink {
    struct Item: Sendable {
        var name: String
        var bytes: [UInt8] = []
        var isEnded = false
        /// The identifier of its bytes, where the system gives one.
        var mark: String?
    }

    private let read = Guarded<[Item]>([])

    private let omitted = Guarded<[ConnectorOmission]>([])

    /// The items that the connector did not hand over.
    var omissions: [ConnectorOmission] { omitted.withLock { $0 } }

    /// The items that are complete.
    var items: [Item] { read.withLock { $0.filter(\.isEnded) } }

    /// The items of an interrupted export: their names with their marks.
    private let earlier: Set<String>
    private let takenOver = Guarded<[String]>([])

    /// The names of items that were taken over.
    var taken: [String] { takenOver.withLock { $0 } }

    /// - Parameter earlier: Items that an interrupted export has read.
    init(after earlier: [Item] = []) {
        self.earlier = Set(earlier.compactMap { item in item.mark.map { "\(item.name) \($0)" } })
    }

    func takeOver(_ name: String, marked mark: String) throws -> Bool {
        guard earlier.contains("\(name) \(mark)") else { return false }
        takenOver.withLock { $0.append(name) }
        return true
    }

    func begin(_ name: String) throws { read.withLock { $0.append(Item(name: name)) } }
    func add(_ bytes: [UInt8]) throws { read.withLock { $0[$0.count - 1].bytes += bytes } }
    func leaveOut(_ omission: ConnectorOmission) throws { omitted.withLock { $0.append(omission) } }
    func end() throws { read.withLock { $0[$0.count - 1].isEnded = true } }
    func end(marked mark: String) throws {
        read.withLock { $0[$0.count - 1].mark = mark }
        try end()
    }
}
