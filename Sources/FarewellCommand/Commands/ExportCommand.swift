// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import Foundation

/// Writes all data of a person into a folder.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all data of a subject into a folder. Changes nothing.",
        discussion: """
            Reads the rows and files that an erasure would delete or change, by the same selections, in a snapshot of \
            the database. The folder has index.html for the user, each table as CSV and JSON, the files, and a \
            signed manifest. Only its owner can read the folder. It appears when it is complete; a failed export \
            makes no folder. If an export was killed, or a system did not answer, the same command continues it: it \
            reads rows and documents again, and keeps complete files and objects that have not changed. Any other \
            command removes the interrupted export.

              farewell export --subject 4711 --output data --database sqlite:app.sqlite
              farewell export --subject 4711 --output data.zip   one archive
              farewell export --check data                       compare with the manifest
              farewell export --check data --keys keys.json      the same elsewhere
              farewell export --public-key > keys.json           the key to publish
              farewell erase --subject 4711 --export-first export-4711

            A row that an erasure keeps may hold other users' data. From such a row the export contains the columns \
            that the erasure changes or retains. Any other column needs `export: yes` in the plan; `export: no` leaves \
            a column out. Other users' rows that only reference the subject show that reference and nothing else.

            The export also contains the subject's data of S3, Google Cloud Storage, Supabase Storage and Auth, \
            Firestore, the Realtime Database, Firebase Authentication, DynamoDB, Cognito, Stripe and RevenueCat. \
            Values whose names say that they are secrets are left out. The manifest lists omitted values, data that \
            could not be read, and systems that are not read.

            Exit status 1: --check found a changed or missing file. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Option(help: ArgumentHelp("The subject: its key in the subject's table.", valueName: "key"))
    var subject: String?

    @Option(
        help: ArgumentHelp("The folder, or the archive FILE.zip, to create.", valueName: "path"), completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("Check an export against its signed manifest.", valueName: "folder"), completion: .directory)
    var check: String?

    @Option(
        help: ArgumentHelp("With --check: the public key, as --public-key prints it.", valueName: "file"),
        completion: .file())
    var keys: String?

    @Flag(help: "Print the public key that signs exports.")
    var publicKey = false

    func validate() throws {
        try refuseEmpty([("--subject", subject), ("--output", output), ("--check", check), ("--keys", keys)])
        let acts = [subject != nil, check != nil, publicKey].filter(\.self).count
        guard acts == 1 else {
            throw ValidationError(
                "Give \(acts == 0 ? "" : "only one of ")--subject with --output, or --check, or --public-key.")
        }
        guard (subject == nil) == (output == nil) else { throw ValidationError("--subject needs --output.") }
        guard keys == nil || check != nil else { throw ValidationError("--keys needs --check.") }
    }

    func run() async throws {
        if let subject, let output {
            try await export(subject, to: output)
        } else if let check {
            try await verify(check)
        } else {
            try Terminal.output.deliver(String(decoding: try ownKeys().json(), as: UTF8.self) + "\n")
        }
    }

    private func export(_ subject: String, to output: String) async throws {
        let plan = try installation.loadPlan()
        let manifest = try await installation.connected(.looking, exportingTo: output) { database in
            let engine = try await ErasureEngine.exporting(
                from: database, plan: plan, folder: installation.folder, state: installation.statePath,
                // Secrets are read when a system is: without them the export lists the system as left out.
                connectors: try PlanSystems.connecting(plan), environment: .live(log: answer.log))
            return try await Interruption.heeded {
                Terminal.error.line("Stopping. The unfinished export is removed. Press again to stop at once.")
            } _: {
                try await installation.namingUnfinished(of: subject, under: plan, in: database) {
                    try await UnfinishedExports(state: installation.statePath).noting(output) {
                        try await engine.export(subject, to: output, interrupted: .continued)
                    }
                }
            }
        }
        try answer.json ? Terminal.output.deliver(json: manifest) : ExportReport(manifest).say(on: Terminal.output)
    }

    private func verify(_ folder: String) async throws {
        let list = try keys.map { try ReceiptSource.publicKeys(in: $0) } ?? ownKeys()
        let outcome = try await ExportCheck(folder).run(by: list)
        if answer.json {
            try Terminal.output.deliver(json: CheckRecord(files: outcome.files, wrong: outcome.wrong))
        } else {
            let day = outcome.manifest.createdAt
            try Terminal.output.deliver { terminal in
                outcome.wrong.forEach { terminal.line(terminal.red("✗ ") + Terminal.printable($0)) }
                if outcome.wrong.isEmpty {
                    terminal.line("Genuine: \(Words.count(outcome.files, "file")) as exported at \(day).")
                }
            }
        }
        guard outcome.wrong.isEmpty else { throw ExitStatus.findings }
    }

    private struct CheckRecord: Encodable {
        let files: Int
        let wrong: [String]
    }

    private func ownKeys() throws -> PublicKeyList {
        try KeyStore.existing(in: StateDirectory.existing(at: installation.statePath)).exportKeys
    }
}
