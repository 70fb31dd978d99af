// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// `farewell references`: writes the generated pages of the documentation.
struct ReferencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "references",
        abstract: "Write the reference pages of the documentation.",
        discussion: """
            Writes the pages about the plan, settings, commands, HTTP, errors and metrics from the code. It is for the \
            developers of Farewell.

              farewell references docs

            \(ExitStatus.pointer)
            """,
        shouldDisplay: false)

    @Argument(help: "The folder for the pages.", completion: .directory)
    var folder: String

    func run() async throws {
        guard #available(macOS 15, *) else { return }
        let process = ProcessInfo.processInfo.processIdentifier
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("references-\(process)").path
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        for page in ReferencePage.allCases {
            let path = folder + "/" + page.fileName
            try OutputFile.write(try await page.text(of: FarewellCommand.self, in: scratch), to: path)
            Terminal.output.line("Wrote \(Terminal.printable(path)).")
        }
    }
}
