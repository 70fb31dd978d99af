// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Farewell
import FarewellSQL
import FarewellSample
import Foundation

/// `farewell-sample`: fills an empty database with one of the example profiles and its users.
@main
struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farewell-sample",
        abstract: "Fills an empty database with sample users for Farewell.",
        discussion: """
            The same profile, number and seed create the same users on SQLite and on PostgreSQL. A missing SQLite \
            file is created; a PostgreSQL database must exist and be empty.

            EXAMPLES
              A coaching app with 1,000 people in a file:
                farewell-sample coachme --database sqlite:coachme.sqlite

              100,000 people on PostgreSQL, one of them with a million messages:
                farewell-sample coachme --database postgresql://localhost/coachme \\
                  --people 100000 --messages-of-one 1000000

              An app where people meet, with photo files:
                farewell-sample muse --database sqlite:muse.sqlite --people 200 --photos photos

              Into a Supabase project, which already has auth.users:
                farewell-sample coachme --database postgresql://… --people 20 --accounts present

              The Chinook music shop, whose 59 customers are part of it:
                farewell-sample chinook --database sqlite:chinook.sqlite --json

            EXIT STATUS
              0  created
              2  nothing was created; standard error gives the reason
             64  the command line is invalid
            """)

    @Argument(help: "The example: coachme, muse or chinook.")
    var profile: SamplePeople.Profile

    @Option(help: ArgumentHelp("The database: sqlite:PATH or postgresql://…", valueName: "address"))
    var database: String

    @Option(help: "The number of users. (default: 1000; chinook has 59)")
    var people: Int?

    @Option(help: "The number of extra messages of the first user.")
    var messagesOfOne = 0

    @Option(help: "Another number creates other users.")
    var seed = 1

    @Option(help: ArgumentHelp("The folder for the photos of muse; without it none are written.", valueName: "folder"))
    var photos: String?

    @Option(help: "Whether the table of accounts is created or already present: made, present.")
    var accounts = SamplePeople.Accounts.made

    @Option(help: ArgumentHelp("The folder Examples, if it is neither here nor above.", valueName: "folder"))
    var examples: String?

    @Flag(help: "Report the result as JSON.")
    var json = false

    func run() async throws {
        do {
            try await make()
        } catch let error as FarewellError {
            FileHandle.standardError.write(Data("farewell-sample: \(error)\n".utf8))
            ProcessEnd.now(2)
        }
        ProcessEnd.now(0)
    }

    private func make() async throws {
        let count = people ?? (profile == .chinook ? SamplePeople.chinookCustomers : 1000)
        let people = try SamplePeople(profile, people: count, messagesOfOne: messagesOfOne, seed: seed)
        let photos = try photos.map { try SamplePhotos(of: people, in: $0) }
        let folder = try examples.map(ExampleFolder.init(path:)) ?? ExampleFolder(near: places)
        let database = try openDatabase(database, sqlite: SQLiteConfiguration(access: .createIfMissing))
        let report = try await people.make(in: database, examples: folder, accounts: accounts) { table in
            if !json { FileHandle.standardError.write(Data("creating \(table)\n".utf8)) }
        }
        await database.close()
        let files = try photos?.make()
        print(json ? try Self.document(report) : Self.page(report, photos: files))
    }

    /// Where the examples may be near: here, and the place of the command itself.
    private var places: [String] {
        [FileManager.default.currentDirectoryPath, Bundle.main.executablePath].compactMap(\.self)
    }

    private static func document(_ report: SampleReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    private static func page(_ report: SampleReport, photos: Int?) -> String {
        let names = report.tables.map(\.table.description)
        let width = names.map(\.count).max() ?? 0
        var lines = ["\(report.profile.rawValue): \(report.people) people, \(report.rows) rows", ""]
        lines += zip(names, report.tables).map { name, table in
            "  " + name + String(repeating: " ", count: width - name.count) + "  \(table.rows)"
        }
        if let photos { lines.append("  photo files: \(photos)") }
        lines += ["", "A user to try, by \(report.subject):", "  \(report.exampleKey)"]
        if let large = report.largeKey { lines += ["The user with many messages:", "  \(large)"] }
        return lines.joined(separator: "\n")
    }
}

extension SamplePeople.Profile: ExpressibleByArgument {}
extension SamplePeople.Accounts: ExpressibleByArgument {}
