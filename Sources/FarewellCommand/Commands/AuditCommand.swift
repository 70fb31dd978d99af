// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Takes the audit log out of the database.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Export the audit log and its signed head.",
        discussion: """
            The log is a chain of hashes without personal data. Keep its signed head elsewhere: it shows \
            later whether entries were cut off or rewritten.

              farewell audit export > audit.jsonl
              farewell audit head > audit-head.jws
              farewell verify --audit --head audit-head.jws

            \(ExitStatus.pointer)
            """,
        subcommands: [Export.self, Head.self])

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the audit log, one JSON entry per line.",
            discussion: """
                  farewell audit export --database sqlite:app.sqlite > audit.jsonl

                \(ExitStatus.pointer)
                """)

        @OptionGroup var installation: InstallationOptions

        func run() async throws {
            let entries = try await installation.connected(.looking) { try await ErasureArchive($0).auditEntries() }
            guard !entries.isEmpty else { return }
            try Terminal.output.deliver(String(decoding: try AuditLines.data(entries), as: UTF8.self))
        }
    }

    struct Head: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the log's newest entry by number and hash, signed.",
            discussion: """
                  farewell audit head --database sqlite:app.sqlite > audit-head.jws

                \(ExitStatus.pointer)
                """)

        @OptionGroup var installation: InstallationOptions

        func run() async throws {
            let entries = try await installation.connected(.looking) { try await ErasureArchive($0).auditEntries() }
            guard let last = entries.last else {
                throw misuse("audit.empty", "The audit log is empty.", remedy: "The first erasure starts the log.")
            }
            let keys = try KeyStore.existing(in: StateDirectory.existing(at: installation.statePath))
            try Terminal.output.deliver(try AuditHead(of: last).signed(by: keys.signingKey))
        }
    }
}

/// Signed heads of the audit log in files.
struct AuditFiles {
    let state: String

    func head(at path: String) throws -> AuditHead {
        guard let data = try? OrdinaryFile.read(path, limit: 1 << 16, allowsOpenPipes: true),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw misuse(
                "audit.unreadable", "The signed head \(Terminal.printable(path)) cannot be read, or is not text.",
                remedy: "Name a file that farewell audit head wrote.")
        }
        let keys = try KeyStore.existing(in: StateDirectory.existing(at: state)).publicKeys
        return try AuditHead(signed: text, keys: keys)
    }
}
