// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import FarewellSample
import Foundation
import Logging
import TestFixtures
import Testing

/// An example with people in it: its database, its plan, its photos.
struct ExampleJourney: Sendable {
    let profile: SamplePeople.Profile
    let dialect: SQLDialect
    let folder: URL
    let people: SamplePeople
    let address: String
    let databaseName: String

    /// Makes the database and its people in a folder of their own.
    static func make(_ profile: SamplePeople.Profile, _ dialect: SQLDialect, people count: Int) async throws
        -> ExampleJourney
    {
        let folder = TestFolder.parent.appendingPathComponent("journey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = "journey_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        let people = try SamplePeople(profile, people: count)
        let address: String
        if dialect == .sqlite {
            address = "sqlite:" + folder.appendingPathComponent("people.sqlite").path
        } else {
            address = try await TestServer.makeDatabase(name)
        }
        let journey = ExampleJourney(
            profile: profile, dialect: dialect, folder: folder, people: people, address: address, databaseName: name)
        let database = try journey.open(creating: true)
        let examples = try ExampleFolder(near: [#filePath])
        try await people.make(in: database, examples: examples)
        if profile == .muse { _ = try SamplePhotos(of: people, in: journey.photos.path).make() }
        try journey.copyPlan(examples)
        await database.close()
        return journey
    }

    var photos: URL { folder.appendingPathComponent("photos") }
    var planPath: String { folder.appendingPathComponent("farewell.yaml").path }
    var state: String { folder.appendingPathComponent("state").path }

    func open(creating: Bool = false) throws -> any SQLDatabase {
        if creating, dialect == .sqlite {
            return try SQLiteDatabase(
                path: String(address.dropFirst("sqlite:".count)),
                configuration: SQLiteConfiguration(access: .createIfMissing))
        }
        return try openDatabase(address)
    }

    /// The example's own plan, beside the photos it names.
    private func copyPlan(_ examples: ExampleFolder) throws {
        let plan = "\(examples.path)/\(profile.rawValue)/farewell.\(dialect.rawValue).yaml"
        try FileManager.default.copyItem(atPath: plan, toPath: planPath)
    }

    /// The engine over the example, as a command would open it.
    func openEngine() async throws -> (any SQLDatabase, ErasureEngine) {
        let database = try open()
        let engine = try await ErasureEngine.open(
            database, plan: try PlanFile.load(path: planPath), folder: folder.path, state: state,
            environment: .live(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        return (database, engine)
    }

    /// Every row of every table, or of those that are meant, as text.
    func rows(of isMeant: (TableName) -> Bool = { _ in true }) async throws -> [String] {
        let database = try open()
        let schema = try await Schema.read(from: database)
        var lines: [String] = []
        for table in schema.tables where isMeant(table.name) {
            let name = dialect.qualified(table.name)
            let result = try await database.withConnection { try await $0.run(SQLStatement("SELECT * FROM \(name)")) }
            lines += result.rows.map { row in "\(table.name)|" + row.map(\.written).joined(separator: "|") }
        }
        await database.close()
        return lines
    }

    func remove() async {
        try? FileManager.default.removeItem(at: folder)
        if dialect == .postgresql { await TestServer.dropDatabase(databaseName) }
    }
}

/// The PostgreSQL that the test set-up started.
enum TestServer {
    static func address() throws -> String {
        guard let address = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"] else {
            throw FarewellError(
                "test.no-postgres", .yoursToFix, "The tests need a PostgreSQL server.", remedy: "Run them by make test."
            )
        }
        return address
    }

    /// The address of a database of a server: the one the test set-up started, or another one.
    static func address(of database: String, at server: String? = nil) throws -> String {
        // The address of several servers, which is none that Foundation reads.
        if let server, server.contains(","), let path = server.firstRange(of: "/postgres") {
            return server[..<path.lowerBound] + "/\(database)" + server[path.upperBound...]
        }
        var parts = URLComponents(string: try server ?? address())
        parts?.path = "/\(database)"
        return parts?.string ?? ""
    }

    static func run(_ statement: String, at server: String? = nil) async throws {
        let database = try openDatabase(server ?? address())
        do {
            _ = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    static func makeDatabase(_ name: String, at server: String? = nil) async throws -> String {
        try await run("CREATE DATABASE \(name)", at: server)
        return try address(of: name, at: server)
    }

    static func dropDatabase(_ name: String) async { try? await run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }
}

/// A product of this package beside the test bundle.
enum TestBinary {
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name).path
    }
}
