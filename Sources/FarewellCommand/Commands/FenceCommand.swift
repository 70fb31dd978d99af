// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellPlan

/// `farewell fence`: refuses writes of other programs for a subject under erasure.
struct FenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fence",
        abstract: "Keep other programs from writing for people who are being erased.",
        discussion: """
            While a person is being erased, queues and forgotten jobs may still write for them. --sql prints a trigger \
            for PostgreSQL on each column of the plan that names a person: it refuses such writes with SQLSTATE FW001. \
            Without it what was written meanwhile is swept before the end, and looked for a second time later. On \
            SQLite there is no such trigger: it would break the writes of every program but Farewell.

              farewell fence --sql | psql "$FAREWELL_DATABASE_URL"

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("The plan.", valueName: "file"))
    var plan = "farewell.yaml"

    @Flag(help: "Print the trigger as SQL.")
    var sql = false

    func run() async throws {
        let script = FenceScript(plan: try PlanFile.load(path: plan))
        guard sql else {
            for place in script.places { Terminal.output.line("\(place)") }
            return
        }
        guard script.hasTrigger else {
            throw FarewellError(
                "fence.sqlite", .yoursToFix,
                "This plan is for SQLite, where there is no trigger: it would break the writes of other programs.",
                remedy: "Do without: what they write meanwhile is swept before the end, and looked for once more.")
        }
        try Terminal.output.deliver(script.text)
    }
}
