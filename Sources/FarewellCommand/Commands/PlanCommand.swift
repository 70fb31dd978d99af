// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Draws the deletion graph of a plan, or prints the plan file's JSON Schema.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Draw the deletion graph, coloured by rule.",
        discussion: """
            Shows which tables and links lead to a subject's rows, and what happens to the rows. Tables and columns \
            that the plan does not account for are red.

              farewell plan --database sqlite:app.sqlite      a tree for the terminal
              farewell plan --format svg --output plan.svg    a picture
              farewell plan --format mermaid                  for a README
              farewell plan --json                            for programs
              farewell plan --schema > farewell.schema.json   for editors

            \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Option(help: ArgumentHelp("The format. Default: text.", valueName: "format"))
    var format: PlanDrawing.Format?

    @Option(help: ArgumentHelp("The output file. Default: standard output.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Print the JSON Schema of the plan file instead; needs no plan and no database.")
    var schema = false

    func validate() throws {
        try refuseEmpty([("--output", output)])
        guard !answer.json || (format ?? .json) == .json else {
            throw ValidationError("--json means --format json: leave the other format out.")
        }
    }

    func run() async throws {
        guard !schema else { return try OutputFile.writeAndTell(PlanJSONSchema.text, to: output) }
        let plan = try installation.loadPlan()
        let schema = try await installation.connected(.looking) { try await Schema.read(from: $0) }
        let notation: PlanDrawing.Format = answer.json ? .json : format ?? .text
        // Colours are for terminals: a file gets none.
        let terminal = OutputFile.isStandardOutput(output) ? Terminal.output : nil
        let drawing = PlanDrawing.draw(plan, schema: schema, as: notation) { rule, words in
            terminal?.painted(words, by: rule) ?? words
        }
        try OutputFile.writeAndTell(drawing, to: output)
    }
}

extension Terminal {
    /// Words of a rule in the colour of the pictures, as far as a terminal can show it.
    fileprivate func painted(_ words: String, by rule: String) -> String {
        switch RuleColour(of: rule) {
        case .amber: yellow(words)
        case .blue: blue(words)
        case .violet: magenta(words)
        case .grey: dim(words)
        case .red: red(words)
        }
    }
}

extension PlanDrawing.Format: ExpressibleByArgument {}
