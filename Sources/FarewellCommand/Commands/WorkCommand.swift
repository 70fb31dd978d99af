// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellServer
import Foundation
import Logging

/// `farewell work`: performs requested erasures, beside servers that accept the requests.
struct WorkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Process erasures that servers have accepted.",
        discussion: """
            Uses the settings of farewell serve and answers no calls. Any number of servers and workers may share \
            one PostgreSQL database; with SQLite, farewell serve does the work. If a worker is killed, another takes \
            over within its lease; at SIGTERM it finishes its step and returns the rest, and SIGHUP reloads the \
            plan.

              farewell work --settings farewell.server.yaml

            \(ExitStatus.pointer)
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let given = try options.settings()
        var settings = try given.ofWorker()
        // Settings shared with servers that leave the work to workers.
        if settings.erasures.rules.concurrency == 0 { settings.erasures.rules.concurrency = ServiceRules().concurrency }
        let database = settings.erasures.database ?? settings.database ?? "sqlite:"
        guard !database.hasPrefix("sqlite:") else {
            throw misuse(
                "work.sqlite", "With SQLite, farewell serve itself does the work.",
                remedy: "Use PostgreSQL for separate workers.")
        }
        // Before anything is made: opened without a plan it would leave keys and tables behind.
        guard settings.erasures.plan != nil else { throw ServerAssembly.nothingToWorkOn }
        let unused = given.unusedByWorker
        try await ServeCommand.logging(settings) { [settings] log in
            if let unused { log.notice("\(unused)") }
            let server = try await StartRetry().open(log: log) {
                try await ServerAssembly.open(settings, log: log, connecting: PlanSystems.connecting)
            }
            try await server.work { Terminal.output.line("Working") }
        }
    }
}
