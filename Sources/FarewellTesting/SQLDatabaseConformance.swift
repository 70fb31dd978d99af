// SPDX-License-Identifier: Apache-2.0
public import FarewellSQL

/// The requirements for every `SQLDatabase`, as cases that any test framework can run.
///
/// ```swift
/// @Test(arguments: SQLDatabaseConformance.cases)
/// func conforms(_ theCase: SQLDatabaseConformance.Case) async throws {
///     try await theCase.run { use in try await withMyEmptyDatabase(use) }
/// }
/// ```
public enum SQLDatabaseConformance {
    /// Makes an empty database, lends it to `use`, and throws the database away.
    public typealias Factory =
        @Sendable (_ use: @Sendable (any SQLDatabase) async throws -> Void) async throws -> Void

    /// One promise, whose breach is thrown as an `SQLDatabaseViolation`.
    public struct Case: Sendable, CustomStringConvertible {
        public let name: String
        let body: @Sendable (any SQLDatabase) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any SQLDatabase) async throws -> Void) {
            self.name = name
            self.body = body
        }

        public var description: String { name }

        /// Runs the case on a database of its own.
        public func run(on factory: Factory) async throws {
            try await factory(body)
        }
    }

    /// All cases, in reading order.
    public static var cases: [Case] { statements + transactions + refusals + connections }
}

extension SQLDatabaseConformance {
    static func expect(_ condition: Bool, _ promise: String) throws {
        guard condition else { throw SQLDatabaseViolation(description: "Not so: \(promise).") }
    }

    static func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        guard found == expected else {
            throw SQLDatabaseViolation(description: "\(what) should be \(expected), but is \(found).")
        }
    }

    /// Runs `body`, which must fail, and gives its error.
    static func failure<Value>(_ what: String, of body: () async throws -> Value) async throws -> any Error {
        do {
            _ = try await body()
        } catch {
            return error
        }
        throw SQLDatabaseViolation(description: "\(what) should have failed.")
    }

    static func expectCode<Value>(_ code: String, _ what: String, of body: () async throws -> Value) async throws {
        let error = try await failure(what, of: body)
        try expectEqual(error.sqlCode, code, "The code of: \(what)")
    }

    static func run(_ database: any SQLDatabase, _ text: String, _ parameters: SQLValue...) async throws -> SQLResult {
        try await database.withConnection { try await $0.run(SQLStatement(text, parameters)) }
    }
}
