// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellPlan

/// `farewell fence`: refuses writes of other programs for a subject under erasure.
struct FenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fence",
        abstract: "Stop other programs from writing rows of subjects that are being erased.",
        discussion: """
            During an erasure, queues and forgotten jobs may still write the subject's rows. --sql prints a trigger \
            for PostgreSQL on each column of the plan that references a subject. The trigger refuses such writes with \
            SQLSTATE FW001. Without it the erasure deletes such rows before it ends, and searches again later. \
            SQLite has no such trigger: it would break the writes of every program but Farewell.

            The trigger needs Farewell's tables: if there was no erasure yet, farewell serve or farewell erase \
            --resume creates them.

              farewell fence --sql | psql -v ON_ERROR_STOP=1 "$FAREWELL_DATABASE_URL"

            \(ExitStatus.pointer)
            """)

    @Option(help: ArgumentHelp("The plan.", valueName: "file"), completion: .file())
    var plan = "farewell.yaml"

    @Flag(help: "Print the trigger as SQL.")
    var sql = false

    func validate() throws { try refuseEmpty([("--plan", plan)]) }

    func run() async throws {
        let script = FenceScript(plan: try PlanFile.load(path: plan))
        guard sql else {
            return try Terminal.output.deliver { terminal in script.places.forEach { terminal.line("\($0)") } }
        }
        guard script.hasTrigger else {
            throw FarewellError(
                "fence.sqlite", .yoursToFix,
                "This plan is for SQLite, which has no such trigger: it would break the writes of other programs.",
                remedy: "None is needed: the erasure deletes rows written meanwhile before it ends and searches again.")
        }
        try Terminal.output.deliver(script.text)
    }
}
