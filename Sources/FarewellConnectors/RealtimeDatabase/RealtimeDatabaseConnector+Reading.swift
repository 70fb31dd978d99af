// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reads everything below the subject's place, as the database writes it. A place that is too long for one answer is
/// read key by key, so that memory does not grow with it.
extension RealtimeDatabaseConnector: ReadingConnector {
    /// Bytes of one answer that are read at most.
    private static let limit = 32 << 20

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var isEmpty = true
        for name in request.names {
            let place = try place(of: name)
            let value = try await self.value(at: place)
            if case .none = value { continue }
            isEmpty = false
            sawSomething()
            if case .unreadable = value {
                try sink.leaveOut(.unreadable)
                continue
            }
            try sink.begin("data.json")
            try await write(value, at: place, into: sink)
            try sink.add([UInt8(ascii: "\n")])
            try sink.end()
        }
        if isEmpty { try await requirePlace(for: request) }
    }

    private enum Value {
        case none
        case whole(RawJSON)
        /// Its keys; each is read alone.
        case long([String])
        /// A single value that is too long.
        case unreadable
    }

    /// https://firebase.google.com/docs/reference/rest/database
    private func value(at place: [String]) async throws -> Value {
        do {
            let reply = try await google.ask(
                "GET", .init(place, ending: ".json"), permission: Self.reading, limit: Self.limit)
            let value = try reply.json(from: google.system)
            return value.bytes.elementsEqual("null".utf8) ? .none : .whole(value)
        } catch let fault as ConnectorFault where fault.isTooLong {
            guard place.count < Self.depth, case .all(let keys) = try await keys(at: place) else { return .unreadable }
            return keys.isEmpty ? .none : .long(keys)
        }
    }

    private func write(_ value: Value, at place: [String], into sink: any ConnectorSink) async throws {
        switch value {
        case .none, .unreadable: return
        case .whole(let value): try sink.add(try withheld.copy(of: value, from: google.system, into: sink))
        case .long(let keys):
            var isFirst = true
            for key in keys {
                let child = place + [key]
                let value = try await self.value(at: child)
                switch value {
                // It was deleted after its key was listed.
                case .none: continue
                case .unreadable:
                    try sink.leaveOut(.unreadable)
                    continue
                case .whole(let raw): if try isOut(key, raw, in: place, sink) { continue }
                case .long: if try isOut(key, Self.object, in: place, sink) { continue }
                }
                let name = Array(try JSONEncoder().encode(JSONValue.string(key)))
                try sink.add([isFirst ? UInt8(ascii: "{") : UInt8(ascii: ",")] + name + [UInt8(ascii: ":")])
                isFirst = false
                try await write(value, at: child, into: sink)
            }
            try sink.add(Array((isFirst ? "{}" : "}").utf8))
        }
    }

    private func isOut(_ key: String, _ value: RawJSON, in place: [String], _ sink: any ConnectorSink) throws -> Bool {
        guard withheld.isOut(key, value.beginning, in: place.last) else { return false }
        try sink.leaveOut(.value(named: key))
        return true
    }

    private static var object: RawJSON { get throws { try RawJSON(Array("{}".utf8)) } }
}
