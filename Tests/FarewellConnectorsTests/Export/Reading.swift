// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellTesting
import Testing

/// A person's data that an export reads from a service.
struct Reading {
    let items: [CollectingSink.Item]
    let omissions: [ConnectorOmission]
    /// The names of items of an interrupted export.
    let taken: [String]

    /// Reads, and checks that nothing has changed.
    ///
    /// - Parameter earlier: The data that an interrupted export has read.
    static func of(
        _ names: [String], by bed: any ConnectorBed, items: [String] = [], after earlier: [CollectingSink.Item] = []
    ) async throws -> Reading {
        let connector = try #require(bed.connector as? any ReadingConnector)
        let sink = CollectingSink(after: earlier)
        let before = try await bed.census()
        var request = ConnectorRequest(key: "export", names: names)
        request.items = items
        try await connector.read(request, into: sink)
        #expect(try await bed.census() == before)
        return Reading(items: sink.items, omissions: sink.omissions, taken: sink.taken)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try #require(items.first { $0.name == name }).bytes, as: UTF8.self)
    }

    /// The elements of an item that is an array.
    func elements(_ name: String) throws -> [RawJSON] {
        let item = try #require(items.first { $0.name == name }, "\(items.map(\.name))")
        return try #require(try RawJSON(item.bytes, depth: 128).elements)
    }

    /// The names of values that were left out.
    var withheld: [String] {
        omissions.compactMap { if case .value(let name) = $0 { name } else { nil } }.sorted()
    }

    var unreadable: Int { omissions.count { $0 == .unreadable } }
}

/// The contents of a file in the fakes (`contents` in `Interop/fakes/answer.py`).
func contents(_ name: String) -> [UInt8] {
    if name.hasSuffix(".empty") { return [] }
    guard name.hasSuffix(".long") else { return Array("of \(name)".utf8) }
    let count = 9_000_000 / (name.utf8.count + 7)
    return (0..<count).flatMap { Array("\(name) \($0)\n".utf8) }
}
