// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import FarewellServer
import FarewellSessions
import Foundation
import Logging

/// `farewell demo`: a server with an app's users, and one of them to sign in as.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Serve the example app coachme, with a user to sign in as.",
        discussion: """
            Creates a SQLite database with the tables and users of Examples/coachme in the state directory, serves \
            it, and prints its address, an e-mail address, a password and commands to try. Ctrl-C stops it; the \
            next start keeps the users and sets a new password.

              farewell demo
              farewell demo --port 0 --people 1000

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("The port to listen on; 0 chooses a free one.", valueName: "number"))
    var port = 9999

    @Option(help: ArgumentHelp("The folder of the demo's database and keys.", valueName: "folder"))
    var state = ".farewell-demo"

    @Option(help: ArgumentHelp("The number of users in the app.", valueName: "number"))
    var people = 50

    @Option(help: ArgumentHelp("The folder Examples of a checked-out Farewell.", valueName: "folder"))
    var examples: String?

    func run() async throws {
        var settings = ServeSettings()
        settings.server.port = port
        settings.state = state
        settings.logLevel = .warning
        // A debug build hashes slowly, and the demo stores no real password.
        settings.authority.passwordCost.logN = 12
        let people = try SamplePeople(.coachme, people: people)
        let examples = try examplesFolder()
        try await ServeCommand.logging(settings) { [settings] log in
            let house = try await ServerAssembly.open(settings, log: log) { _, database in
                try await DemoPlan.prepared(people, examples: examples, in: database)
            }
            let person = try await DemoPerson.prepared(house, people: people)
            try await house.serve { address in person.greet(at: address) }
        }
    }

    private func examplesFolder() throws -> ExampleFolder {
        if let examples { return ExampleFolder(path: examples) }
        return try ExampleFolder(near: [FileManager.default.currentDirectoryPath, CommandLine.arguments[0]])
    }
}

/// The plan of the demo: derived from the live schema, as `farewell init` would, with its one question answered.
enum DemoPlan {
    /// Makes the app's tables and users if they are missing.
    static func prepared(
        _ people: SamplePeople, examples: ExampleFolder, in database: any SQLDatabase
    ) async throws -> Plan {
        do {
            try await people.make(in: database, examples: examples, accounts: .present)
        } catch let error as FarewellError where error.code == "sample.not-empty" {
            // Made by an earlier start.
        }
        let schema = try await Schema.read(from: database)
        var plan = try PlanDerivation.draft(from: schema, subject: people.subject(database.dialect)).plan.answeringAll(
            .owner)
        for table in plan.tables.indices {
            // A conversation is the user's own, and so are all its messages.
            for link in plan.tables[table].links.indices where plan.tables[table].links[link].shared == nil {
                plan.tables[table].links[link].shared = .erase
            }
        }
        return plan
    }
}
