// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import SystemPackage
import Testing

/// The status and the output of one call of the command.
struct CommandEnd: Sendable, CustomStringConvertible {
    let status: Int32
    let output: String
    let errors: String

    var description: String { "exit \(status)\n\(output)\(errors)" }

    /// The lines of standard output, each as a JSON object.
    var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }
}

/// Where a place's database lies.
enum CommandGround: Sendable {
    /// In the place's folder, or on the PostgreSQL that the test set-up started.
    case ordinary
    /// On a disk that may be filled; PostgreSQL's on a server of its own, which can then write nothing.
    case disk(SmallDisk, OwnServer?)
    /// On a server that may be restarted.
    case server(OwnServer)
    /// On the ordinary PostgreSQL, through a pooler.
    case pooler(OwnPooler)
}

/// A folder to call the real command in, with a database of people who do not exist.
struct CommandPlace: Sendable {
    let dialect: SQLDialect
    let folder: URL
    let address: String
    let people: SamplePeople
    let sqlite: URL
    private let ground: CommandGround
    private let databaseName: String

    var state: URL { folder.appendingPathComponent(".farewell") }
    var plan: URL { folder.appendingPathComponent("farewell.yaml") }
    /// An ordinary subject and another one.
    var person: String { people.subjectKey(at: people.exampleIndex) }
    var neighbour: String { people.subjectKey(at: people.exampleIndex + 1) }

    /// Puts a copy of the SQLite file back, as of a back-up.
    func restore(_ copy: Data) throws {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: sqlite.path + suffix) }
        try copy.write(to: sqlite)
    }

    /// Makes a place for `use` and removes it, whatever happens.
    static func with(
        _ dialect: SQLDialect, people count: Int = 30, messagesOfOne: Int = 0, isPlanned: Bool = true,
        on ground: CommandGround = .ordinary, _ use: (CommandPlace) async throws -> Void
    ) async throws {
        let place = try CommandPlace(
            dialect, SamplePeople(.coachme, people: count, messagesOfOne: messagesOfOne), on: ground)
        do {
            try await place.fill()
            if isPlanned { try await place.takePlan() }
            try await use(place)
        } catch {
            await place.remove()
            throw error
        }
        await place.remove()
    }

    private init(_ dialect: SQLDialect, _ people: SamplePeople, on ground: CommandGround) throws {
        self.dialect = dialect
        self.ground = ground
        self.people = people
        databaseName = "command_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(databaseName)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if case .disk(let disk, _) = ground {
            sqlite = disk.folder.appendingPathComponent("app.sqlite")
        } else {
            sqlite = folder.appendingPathComponent("app.sqlite")
        }
        switch (dialect, ground) {
        case (.sqlite, _): address = "sqlite:" + sqlite.path
        case (.postgresql, .server(let server)), (.postgresql, .disk(_, let server?)):
            address = try TestServer.address(of: databaseName, at: server.address)
        case (.postgresql, .pooler(let pooler)):
            address = try TestServer.address(of: databaseName, at: pooler.address)
        case (.postgresql, _): address = try TestServer.address(of: databaseName)
        }
    }

    private func fill() async throws {
        if dialect == .postgresql { try await makeDatabase() }
        let database = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
        try await people.make(in: database, examples: ExampleFolder(near: [#filePath]))
        await database.close()
    }

    /// Writes the plan that the command derives for the tables of the people.
    private func takePlan() async throws {
        let tables = DerivedPlans.Tables(profile: people.profile, dialect: dialect, hasAccounts: false)
        let text = try await DerivedPlans.plan(for: tables) {
            try await writePlan()
            return try Data(contentsOf: plan)
        }
        try text.write(to: plan)
    }

    /// Derives the plan by the command and takes the decisions it leaves open.
    func writePlan() async throws {
        let made = try await farewell("init", "--subject", people.subject(dialect).description)
        try #require(made.status == 0, "\(made)")
        let decided = try await farewell("decide", "--table", "*", "--answer", "owner")
        try #require(decided.status == 0, "\(decided)")
    }

    func changePlan(_ change: (String) -> String) throws {
        let text = try String(contentsOf: plan, encoding: .utf8)
        try Data(change(text).utf8).write(to: plan)
    }

    private func makeDatabase() async throws {
        switch ground {
        case .ordinary, .pooler: _ = try await TestServer.makeDatabase(databaseName)
        case .server(let server): _ = try await TestServer.makeDatabase(databaseName, at: server.address)
        case .disk(let disk, let server):
            let folder = try disk.folderOfServer()
            let address = try #require(server).address
            try await TestServer.run("CREATE TABLESPACE \(databaseName) LOCATION '\(folder.path)'", at: address)
            try await TestServer.run("CREATE DATABASE \(databaseName) TABLESPACE \(databaseName)", at: address)
        }
    }

    private func remove() async {
        try? FileManager.default.removeItem(at: folder)
        // A server of its own goes with all it has.
        guard dialect == .postgresql else { return }
        switch ground {
        case .ordinary, .pooler: await TestServer.dropDatabase(databaseName)
        case .disk, .server: break
        }
    }

    // MARK: Calling

    /// The command's configuration in this folder; the database comes from the environment.
    func configuration(_ arguments: [String], _ environment: [String: String] = [:]) -> Subprocess.Configuration {
        var changes: [Subprocess.Environment.Key: String?] = ["FAREWELL_DATABASE_URL": address]
        for (name, value) in environment { changes[.init(stringLiteral: name)] = value }
        return Subprocess.Configuration(
            executable: .path(FilePath(TestBinary.path("farewell"))), arguments: .init(arguments),
            environment: .inherit.updating(changes), workingDirectory: FilePath(folder.path))
    }

    func farewell(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandEnd {
        try await end(of: configuration(arguments, environment))
    }

    /// Calls it on a terminal of its own, typing `input`.
    func onTerminal(_ arguments: [String], typing input: String, environment: [String: String]) async throws
        -> CommandEnd
    {
        var configuration = configuration([], environment)
        let words = [TestBinary.path("farewell")] + arguments
        configuration.executable = .name("script")
        configuration.arguments = ["-qec", words.joined(separator: " "), "/dev/null"]
        return try await end(of: configuration, typing: input)
    }

    func end(of configuration: Subprocess.Configuration, typing input: String = "") async throws -> CommandEnd {
        let result = try await Subprocess.run(
            configuration, input: .string(input), output: .string(limit: 1 << 24), error: .string(limit: 1 << 24))
        return CommandEnd(
            status: Self.status(result.terminationStatus), output: result.standardOutput, errors: result.standardError)
    }

    static func status(_ status: TerminationStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let number): 128 + number
        }
    }

    // MARK: Looking

    func query(_ text: String) async throws -> [[SQLValue]] {
        let database = try openDatabase(address)
        let rows = try await database.withConnection { try await $0.run(SQLStatement(text)).rows }
        await database.close()
        return rows
    }

    /// A table's name as SQL; the coaching app's tables, wherever they lie.
    func table(_ name: String) -> String {
        switch (dialect, name) {
        case (.postgresql, "auth_users"): "auth.users"
        case (.postgresql, _): "public.\(name)"
        case (.sqlite, _): name
        }
    }

    /// Every row that is not Farewell's own, as text in small letters.
    func rows() async throws -> [String] {
        var lines: [String] = []
        let database = try openDatabase(address)
        for table in try await Schema.read(from: database).tables {
            let name = dialect.qualified(table.name)
            let result = try await database.withConnection { try await $0.run(SQLStatement("SELECT * FROM \(name)")) }
            lines += result.rows.map { "\(table.name)|\($0.map(\.written).joined(separator: ", "))".lowercased() }
        }
        await database.close()
        return lines.sorted()
    }
}

extension CommandPlace {
    func call(_ arguments: [String]) async throws -> CommandEnd { try await end(of: configuration(arguments)) }
}
