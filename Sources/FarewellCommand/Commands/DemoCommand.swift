// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellEngine
import FarewellSQL
import FarewellSample
import FarewellServer
import Foundation
import Logging

/// `farewell demo`: a server with an app's people, and one of them to sign in as.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Serve the example app coachme, with a person to sign in as.",
        discussion: """
            Makes a SQLite database with the tables and people of Examples/coachme in the state directory, serves \
            it, and prints the address, an e-mail address and a password, and what to try. Stops with Ctrl-C; \
            started again it goes on with the same people and another password.

              farewell demo
              farewell demo --port 0 --people 1000
            """)

    @Option(help: ArgumentHelp("The port to listen on; 0 chooses a free one.", valueName: "number"))
    var port = 9999

    @Option(help: ArgumentHelp("Where everything of the demo lies.", valueName: "folder"))
    var state = ".farewell-demo"

    @Option(help: ArgumentHelp("How many people the app has.", valueName: "number"))
    var people = 50

    @Option(help: ArgumentHelp("The folder Examples of a checked-out Farewell.", valueName: "folder"))
    var examples: String?

    func run() async throws {
        var settings = ServeSettings()
        settings.server.port = port
        settings.state = state
        settings.logLevel = .warning
        // A build for debugging hashes slowly, and nobody's real password is kept here.
        settings.authority.passwordCost.logN = 12
        let house = try await ServerHouse.open(settings, log: ServeCommand.log(settings))
        let person = try await DemoPerson.prepared(
            house, people: SamplePeople(.coachme, people: people), examples: try examplesFolder(), state: state)
        try await house.serve { address in person.greet(at: address) }
    }

    private func examplesFolder() throws -> ExampleFolder {
        if let examples { return ExampleFolder(path: examples) }
        return try ExampleFolder(near: [FileManager.default.currentDirectoryPath, CommandLine.arguments[0]])
    }
}

/// The person to sign in as: one of the app's, with a password made for this demo.
struct DemoPerson: Sendable {
    let email: String
    let password: String

    /// Makes the app's tables and people where they are not there yet, and gives one of them a password.
    static func prepared(
        _ house: ServerHouse, people: SamplePeople, examples: ExampleFolder, state: String
    ) async throws -> DemoPerson {
        let database = try openDatabase("sqlite:\(state)/farewell.sqlite")
        do {
            try await people.make(in: database, examples: examples, accounts: .present)
        } catch let error as FarewellError where error.code == "sample.not-empty" {
            // Made by an earlier start.
        } catch {
            await database.close()
            throw error
        }
        await database.close()
        var change = AdministratorChange()
        change.password = "demo-" + ServerWorld.live().makeIdentifier().uuidString.lowercased().prefix(13)
        change.confirmsEmail = true
        guard let id = UUID(uuidString: people.subjectKey(at: people.exampleIndex)) else {
            throw FarewellError("demo.person", .ours, "The example person has no identifier.")
        }
        let user = try await house.authority.updateUser(id, change)
        return DemoPerson(email: user.email ?? "", password: change.password ?? "")
    }

    func greet(at address: String) {
        let terminal = Terminal.output
        terminal.text(
            """
            \(terminal.bold("Farewell serves the example app at \(address)"))

              e-mail    \(email)
              password  \(password)

            Try, in another window:

              curl -s '\(address)/auth/v1/token?grant_type=password' -H 'Content-Type: application/json' \\
                -d '{"email":"\(email)","password":"\(password)"}'

              curl -s \(address)/v1/sessions -H "Authorization: Bearer $TOKEN"
              curl -si -X POST '\(address)/auth/v1/logout?scope=global' -H "Authorization: Bearer $TOKEN"
              curl -s \(address)/auth/v1/user -H "Authorization: Bearer $TOKEN"      # refused, at once

            Any Supabase client works with \(address)/auth/v1. Stop with Ctrl-C.
            """)
    }
}
