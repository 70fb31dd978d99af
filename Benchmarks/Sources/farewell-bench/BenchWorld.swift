// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation

/// Where everything is measured: the server, a folder for states and SQLite files, how long to measure.
struct BenchWorld: Sendable {
    let isQuick: Bool
    let server: String
    let folder: URL
    private let askedRounds: Int?

    init(isQuick: Bool, rounds: Int?) throws {
        guard let server = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"] else {
            throw FarewellError(
                "bench.no-postgres", .yoursToFix, "No PostgreSQL server is named by FAREWELL_TEST_POSTGRES.",
                remedy: "Run make bench.")
        }
        self.isQuick = isQuick
        self.server = server
        askedRounds = rounds
        folder = FileManager.default.temporaryDirectory.appending(path: "farewell-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// How often each comparison is repeated, by turns.
    var rounds: Int { askedRounds ?? (isQuick ? 2 : 5) }

    /// Written at once, also into a file, to show the progress.
    func tell(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// The machine's load: how many programs want to run at once.
    static var load: String {
        var loads = [Double](repeating: 0, count: 3)
        return getloadavg(&loads, 3) > 0 ? loads[0].short : "unknown"
    }

    /// Makes a database full of people, lends it, and removes it.
    ///
    /// - Parameter preparing: Makes the accounts' tables beforehand, where a server keeps them.
    func withPeople<Value>(
        _ people: SamplePeople, preparing: ((any SQLDatabase) async throws -> Void)? = nil,
        _ body: (PeopleDatabase) async throws -> Value
    ) async throws -> Value {
        let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try await administer("CREATE DATABASE \(name)")
        do {
            let database = try PostgreSQLDatabase(url: address(of: name))
            try await preparing?(database)
            try await people.make(
                in: database, examples: ExampleFolder(near: [#filePath]), accounts: preparing == nil ? .made : .present)
            await database.close()
            let value = try await body(PeopleDatabase(world: self, name: name, people: people))
            try await administer("DROP DATABASE \(name) WITH (FORCE)")
            return value
        } catch {
            try? await administer("DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
    }

    func address(of database: String) -> String {
        guard var parts = URLComponents(string: server) else { return server }
        parts.path = "/\(database)"
        return parts.string ?? server
    }

    /// Runs a statement in the server's own database.
    func administer(_ statement: String) async throws {
        let database = try PostgreSQLDatabase(url: server)
        do {
            _ = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
