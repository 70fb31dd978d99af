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
            Creates a SQLite database with the tables and users of a coaching app in the state directory and serves \
            it. It needs no other file, and refuses the state directory of any other server. It prints the addresses \
            of the pages for users and for operators, how to sign in to each, and calls to try. Ctrl-C stops it; the \
            next start keeps the users and sets a new password.

              farewell demo
              farewell demo --port 0 --people 1000

            \(ExitStatus.pointer)
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 chooses a free one.", valueName: "number"))
    var port = 9999

    @Option(
        help: ArgumentHelp("The folder of the demo's database and keys.", valueName: "folder"), completion: .directory)
    var state = ".farewell-demo"

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of users in the app.", valueName: "number"))
    var people = 50

    func validate() throws {
        try refuseEmpty([("--state", state)])
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    }

    func run() async throws {
        var settings = ServeSettings()
        settings.server.port = port
        settings.state = state
        settings.logLevel = .warning
        // A debug build hashes slowly, and the demo stores no real password.
        settings.authority.passwordCost.logN = 12
        let people = try SamplePeople(.coachme, people: people)
        try DemoFolder.prepare(state)
        try await ServeCommand.logging(settings) { [settings] log in
            let server = try await ServerAssembly.open(settings, log: log) { _, database in
                try await DemoPlan.prepared(people, in: database)
            }
            let person = try await DemoPerson.prepared(server, people: people)
            try await server.serve { [state] address in person.greet(at: address, state: state) }
        }
    }
}

/// The plan of the demo: derived from the live schema, as `farewell init` does, with its questions answered.
enum DemoPlan {
    /// Makes the app's tables and users if they are missing.
    static func prepared(_ people: SamplePeople, in database: any SQLDatabase) async throws -> Plan {
        do {
            try await people.make(in: database, tables: .coachme, accounts: .present)
        } catch let error as FarewellError where error.code == "sample.not-empty" {
            // Made by an earlier start.
        }
        let schema = try await Schema.read(from: database)
        var plan = try PlanDerivation.draft(from: schema, subject: people.subject(database.dialect)).plan.answeringAll(
            .owner)
        for table in plan.tables.indices {
            plan.tables[table].labels = labels[plan.tables[table].table.name] ?? [:]
            plan.tables[table].label = plan.tables[table].labels["en"]
            // A conversation is the user's own, and so are all its messages.
            for link in plan.tables[table].links.indices where plan.tables[table].links[link].shared == nil {
                plan.tables[table].links[link].shared = .erase
            }
        }
        return plan
    }

    /// The names of the tables for users, in the languages of the pages.
    private static let labels: [String: [String: String]] = [
        "users": [
            "en": "Your profile", "de": "Dein Profil", "es": "Tu perfil", "ja": "プロフィール", "ar": "ملفك الشخصي",
        ],
        "conversations": [
            "en": "Your conversations", "de": "Deine Gespräche", "es": "Tus conversaciones", "ja": "会話",
            "ar": "محادثاتك",
        ],
        "messages": [
            "en": "Your messages", "de": "Deine Nachrichten", "es": "Tus mensajes", "ja": "メッセージ", "ar": "رسائلك",
        ],
        "context_profiles": [
            "en": "Your goals", "de": "Deine Ziele", "es": "Tus objetivos", "ja": "目標", "ar": "أهدافك",
        ],
        "pattern_syntheses": [
            "en": "Your patterns", "de": "Deine Muster", "es": "Tus patrones", "ja": "パターン", "ar": "أنماطك",
        ],
        "usage_logs": [
            "en": "Your usage", "de": "Deine Nutzung", "es": "Tu uso", "ja": "利用履歴", "ar": "استخدامك",
        ],
    ]
}
