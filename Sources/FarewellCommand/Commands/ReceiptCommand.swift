// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Shows and checks receipts.
struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Show a receipt, check its signature, turn it into a page.",
        discussion: """
            Name a receipt by its erasure or its file. The default is the newest receipt of the database, or of the \
            state directory if no database is named or the database does not answer. \
            To check a receipt, a reader needs only the file and the public keys.

              farewell receipt show 0b54c0de-…
              farewell receipt verify receipt.jws --keys keys.json
              farewell receipt page 0b54c0de-… --output receipt.html
              farewell receipt keys > keys.json        the public keys to publish

            \(ExitStatus.pointer)
            """,
        subcommands: [Show.self, Verify.self, Page.self, Keys.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a receipt after checking its signature.",
            discussion: """
                  farewell receipt show
                  farewell receipt show 0b54c0de-… --json

                \(ExitStatus.pointer)
                """)

        @OptionGroup var source: ReceiptSource
        @OptionGroup var answer: OutputOptions

        func run() async throws {
            let (_, verified) = try await source.verified()
            if answer.json {
                try Terminal.output.deliver(String(decoding: try verified.receipt.canonicalJSON(), as: UTF8.self))
            } else {
                try Terminal.output.deliver(ReceiptText.text(verified.receipt))
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that a receipt is genuine and unchanged.",
            discussion: """
                  farewell receipt verify receipt.jws --keys keys.json
                  farewell receipt verify              the newest

                Exit status 1: the receipt is not genuine or was changed. \(ExitStatus.pointer)
                """)

        @OptionGroup var source: ReceiptSource
        @OptionGroup var answer: OutputOptions

        func run() async throws {
            let (_, verified) = try await source.verified()
            if answer.json {
                try Terminal.output.deliver(json: Verdict(verified))
            } else {
                let id = ErasureEnding.name(verified.receipt.id)
                try Terminal.output.deliver { terminal in
                    terminal.line(terminal.green("✓ ") + "Receipt \(id) is genuine and unchanged.")
                    terminal.line("  Signed by key \(verified.key), issued \(UTCTime.text(verified.receipt.issuedAt)).")
                }
            }
        }
    }

    struct Page: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a receipt into a page to read, print and hand out.",
            discussion: """
                  farewell receipt page 0b54c0de-… --output receipt.html
                  farewell receipt page receipt.jws --keys keys.json > receipt.html

                \(ExitStatus.pointer)
                """)

        @OptionGroup var source: ReceiptSource

        @Option(
            help: ArgumentHelp("The output file. Default: standard output.", valueName: "file"), completion: .file())
        var output: String?

        func validate() throws { try refuseEmpty([("--output", output)]) }

        func run() async throws {
            let (signed, verified) = try await source.verified()
            let page = ReceiptPage.html(verified.receipt, jws: signed)
            try OutputFile.writeAndTell(page, to: output)
        }
    }

    struct Keys: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public keys that check receipts (JSON Web Key Set).",
            discussion: """
                  farewell receipt keys > keys.json

                \(ExitStatus.pointer)
                """)

        @OptionGroup var installation: InstallationOptions

        func run() throws {
            let keys = try KeyStore.existing(in: StateDirectory.existing(at: installation.statePath)).publicKeys
            try Terminal.output.deliver(String(decoding: try keys.json(), as: UTF8.self))
        }
    }
}

private struct Verdict: Encodable {
    let genuine = true
    let erasure: String
    let key: String
    let issuedAt: String
    let isComplete: Bool

    init(_ verified: VerifiedReceipt) {
        erasure = ErasureEnding.name(verified.receipt.id)
        key = verified.key
        issuedAt = UTCTime.text(verified.receipt.issuedAt)
        isComplete = verified.receipt.isComplete
    }
}
