// SPDX-License-Identifier: Apache-2.0
public import FarewellClient
import Foundation

/// The duties of every `TokenStore`, as cases that any test framework can run.
///
/// ```swift
/// @Test(arguments: TokenStoreConformance.cases)
/// func conforms(_ theCase: TokenStoreConformance.Case) async throws {
///     try await theCase.run { use in try await use(MyStore()) }
/// }
/// ```
public enum TokenStoreConformance {
    /// Makes an empty store, lends it to `use` together with a second view of the same place, and throws it away.
    public typealias Factory =
        @Sendable (_ use: @Sendable (_ store: any TokenStore, _ again: any TokenStore) async throws -> Void)
        async throws
        -> Void

    /// One promise, whose breach is thrown as a `TokenStoreViolation`.
    public struct Case: Sendable, CustomStringConvertible {
        public let name: String
        let body: @Sendable (any TokenStore, any TokenStore) async throws -> Void

        public var description: String { name }

        /// Runs the case on a store of its own.
        public func run(on factory: Factory) async throws { try await factory(body) }
    }

    /// All cases, in reading order.
    public static let cases = [
        Case(name: "an empty store says that it is empty") { store, _ in
            try expect(found(store) == nil, "An empty store is absent")
        },
        Case(name: "a written record is read byte for byte") { store, again in
            for record in [Data("one".utf8), Data(0...255), Data(), Data(repeating: 7, count: 60_000)] {
                try store.write(record)
                try expect(found(store) == record, "The store gives back \(record.count) bytes")
                try expect(found(again) == record, "So does another view of the place")
            }
        },
        Case(name: "a second record replaces the first") { store, again in
            try store.write(Data("long, long record".utf8))
            try again.write(Data("short".utf8))
            try expect(found(store) == Data("short".utf8), "The later record is the record")
        },
        Case(name: "a removed record is absent, also for others, and may be removed again") { store, again in
            try store.write(Data("one".utf8))
            try again.remove()
            try expect(found(store) == nil, "A removed record is absent")
            try store.remove()
            try store.write(Data("two".utf8))
            try expect(found(again) == Data("two".utf8), "A store can be used again")
        },
        Case(name: "a reader sees whole records while others write") { store, again in
            let records = (0..<4).map { Data(repeating: UInt8($0), count: 3_000 + $0) }
            try store.write(records[0])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for turn in 0..<40 { try store.write(records[turn % 4]) } }
                group.addTask {
                    for _ in 0..<40 {
                        guard let record = try found(again) else { throw TokenStoreViolation("A record vanished") }
                        try expect(records.contains(record), "A record is whole")
                    }
                }
                try await group.waitForAll()
            }
        },
        Case(name: "a store has a name for reports") { store, _ in
            try expect(!store.name.isEmpty, "The name is not empty")
        },
    ]

    private static func found(_ store: any TokenStore) throws -> Data? {
        switch store.read() {
        case .present(let record): return record
        case .absent: return nil
        case .unknown(let error): throw error
        }
    }

    private static func expect(_ condition: Bool, _ promise: String) throws {
        guard condition else { throw TokenStoreViolation(promise) }
    }
}
