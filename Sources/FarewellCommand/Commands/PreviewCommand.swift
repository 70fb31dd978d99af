// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// Counts what an erasure would do.
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what an erasure would do. Writes nothing.",
        discussion: """
            Shows exact counts for each place, the rows that are kept and until when, and rows that would stop the \
            erasure. The database refuses every write of the preview. If a system does not answer, the preview \
            names it.

              farewell preview --subject 4711 --database sqlite:app.sqlite
              farewell preview --subject 4711 --database postgresql://app@db/app --json

            Exit status 1: something would stop the erasure, or a system did not answer. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Option(help: ArgumentHelp("The subject: its key in the subject's table.", valueName: "key"))
    var subject: String

    func validate() throws { try refuseEmpty([("--subject", subject)]) }

    func run() async throws {
        let plan = try installation.loadPlan()
        let preview = try await installation.connected(.looking) { database in
            let engine = try await ErasureEngine.looking(
                at: database, plan: plan, folder: installation.folder,
                connectors: try PlanSystems.connecting(plan), environment: .live(log: answer.log))
            return try await installation.namingUnfinished(of: subject, under: plan, in: database) {
                try await engine.preview(subject)
            }
        }
        let output = Terminal.output
        try answer.json
            ? output.deliver(json: PreviewText.Record(preview)) : output.deliver { PreviewText(preview).say(on: $0) }
        guard preview.blockers.isEmpty, preview.unreachable.isEmpty, preview.unresolved.isEmpty, preview.unnamed.isEmpty
        else {
            throw ExitStatus.findings
        }
    }
}
