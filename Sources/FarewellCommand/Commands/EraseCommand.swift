// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellSQL
import Foundation

/// Erases subjects.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase subjects, read back, and sign a receipt.",
        discussion: """
            Shows what it would delete and asks you to type the subject's key. An accepted erasure is finished even if \
            processes are killed; --resume continues erasures of a dead process. farewell status shows the cause of a \
            parked erasure, and --release continues it.

              farewell erase --subject 4711 --database sqlite:app.sqlite
              farewell erase --subject 4711 --subject 4712 --yes
              farewell erase --subjects-file leavers.txt --yes     one key per line
              farewell erase --subject 4711 --deep                 search afterwards
              farewell erase --subject 4711 --export-first data    first export the data
              farewell erase --resume                finish interrupted erasures
              farewell erase --resume --take-over    also those of a host that is dead
              farewell erase --release 0b54…         continue a parked erasure

            Ctrl-C stops cleanly and exits with 130; a second Ctrl-C stops at once. Both are safe. \
            The database keeps the receipt, and when the erasure is done the state directory has it as \
            receipts/ID.jws. If that file cannot be written, this changes neither the erasure nor the exit status, and \
            the next command that reads the database writes it. farewell receipt page turns a receipt into a page.

            --json writes JSON lines: one object for each event, and a last one with the exit status and \
            all outcomes.

            Exit status 1: an erasure is parked or would be, or data is left; 3: no data of the subject was found; \
            4: another process is erasing the subject; 75: --resume continues the erasure. Of several subjects the \
            gravest counts. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions
    @OptionGroup var run: RunOptions

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("The subject: its key in the subject's table. May be repeated.", valueName: "key"))
    var subject: [String] = []

    @Option(
        help: ArgumentHelp("A file with one key per line; - is standard input.", valueName: "file"), completion: .file()
    )
    var subjectsFile: String?

    @Option(
        help: ArgumentHelp(
            "First export the subject's data into this new folder; if that fails, nothing is erased.",
            valueName: "folder"), completion: .directory)
    var exportFirst: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Finish accepted erasures that are not finished.")
    var resume = false

    @Flag(help: "With --resume: also erasures that another process holds. Use it only if that process has ended.")
    var takeOver = false

    @Option(help: ArgumentHelp("Continue a parked erasure under today's plan and schema.", valueName: "erasure"))
    var release: String?

    func validate() throws {
        try refuseEmpty([("--subjects-file", subjectsFile), ("--export-first", exportFirst), ("--release", release)])
        let isAsked = !subject.isEmpty || subjectsFile != nil
        let acts = [isAsked, resume, release != nil].filter(\.self).count
        guard !takeOver || resume else { throw ValidationError("--take-over needs --resume.") }
        guard acts == 1 else {
            throw ValidationError(
                "Give \(acts == 0 ? "" : "only one of ")--subject or --subjects-file, or --resume, or --release.")
        }
        guard exportFirst == nil || subject.count == 1 && subjectsFile == nil else {
            throw ValidationError("--export-first needs exactly one --subject.")
        }
        guard release.map({ UUID(text: $0) != nil }) ?? true else {
            throw ValidationError("--release takes the identifier of an erasure, as farewell status shows it.")
        }
    }

    func run() async throws {
        let plan = try installation.loadPlan()
        let list = try NameList(.subjects, named: subject, file: subjectsFile)
        try await installation.connected(.writing, connections: run.connections, exportingTo: exportFirst) { database in
            let session = ErasureSession(
                database: database, plan: plan, installation: installation, run: run, answer: answer)
            if resume {
                try await session.resume(takingOver: takeOver)
            } else if let id = release.flatMap(UUID.init(text:)) {
                try await session.release(id)
            } else {
                try await list.requireNoKeyAmongComments(session.looking)
                try await list.locatingRefusedKeys(session.looking) {
                    try await session.erase(list.names, isConfirmed: yes, exportingTo: exportFirst)
                }
            }
        }
    }
}
