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

            \(ExitStatus.explanation)
            """,
        subcommands: [Show.self, Verify.self, Page.self, Keys.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a receipt after checking its signature.",
            discussion: """
                  farewell receipt show
                  farewell receipt show 0b54c0de-… --json

                \(ExitStatus.explanation)
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
                Exit status 1 when it is not.

                  farewell receipt verify receipt.jws --keys keys.json
                  farewell receipt verify              the newest

                \(ExitStatus.explanation)
                """)

        @OptionGroup var source: ReceiptSource
        @OptionGroup var answer: OutputOptions

        func run() async throws {
            let (_, verified) = try await source.verified()
            if answer.json {
                try Terminal.output.deliver(json: Verdict(verified))
            } else {
                let terminal = Terminal.output
                let id = ErasureEnding.name(verified.receipt.id)
                terminal.line(terminal.green("✓ ") + "Receipt \(id) is genuine and unchanged.")
                terminal.line("  Signed by key \(verified.key), issued \(UTCTime.text(verified.receipt.issuedAt)).")
            }
        }
    }

    struct Page: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a receipt into a page to read, print and hand out.",
            discussion: """
                  farewell receipt page 0b54c0de-… --output receipt.html
                  farewell receipt page receipt.jws --keys keys.json > receipt.html

                \(ExitStatus.explanation)
                """)

        @OptionGroup var source: ReceiptSource

        @Option(help: ArgumentHelp("The output file. Default: standard output.", valueName: "file"))
        var output: String?

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

                \(ExitStatus.explanation)
                """)

        @OptionGroup var installation: InstallationOptions

        func run() throws {
            let keys = try KeyStore.existing(in: StateDirectory.existing(at: installation.statePath)).publicKeys
            try Terminal.output.deliver(String(decoding: try keys.json(), as: UTF8.self))
        }
    }
}

/// A receipt and the keys to check it by.
struct ReceiptSource: ParsableArguments {
    @OptionGroup var installation: InstallationOptions

    @Argument(help: ArgumentHelp("The erasure's identifier or the receipt's file.", valueName: "erasure-or-file"))
    var receipt: String?

    @Option(help: ArgumentHelp("The issuer's public keys. Default: those of the state directory.", valueName: "file"))
    var keys: String?

    func verified() async throws -> (signed: String, VerifiedReceipt) {
        let verifier = ReceiptVerifier(keys: try publicKeys())
        let signed = try await signed(by: verifier).trimmingCharacters(in: .whitespacesAndNewlines)
        return (signed, try verifier.verify(signed))
    }

    private func publicKeys() throws -> PublicKeyList {
        guard let keys else {
            return try KeyStore.existing(in: StateDirectory.existing(at: installation.statePath)).publicKeys
        }
        return try Self.publicKeys(in: keys)
    }

    /// The keys of a file.
    static func publicKeys(in keys: String) throws -> PublicKeyList {
        guard let data = try? OrdinaryFile.read(keys, limit: 1 << 17, allowsOpenPipes: true) else {
            throw misuse(
                "keys.unreadable", "The file of public keys cannot be read.",
                remedy: "Name the file that farewell receipt keys wrote.")
        }
        return try PublicKeyList(json: Data(data))
    }

    private func signed(by verifier: ReceiptVerifier) async throws -> String {
        let receipts = Receipts(state: installation.statePath)
        if receipt == nil, let newest = try await newest(by: verifier) { return newest }
        if let found = try receipts.find(receipt) { return found }
        guard let id = receipt.flatMap(UUID.init(text:)) else {
            throw misuse(
                "receipt.missing",
                installation.hasDatabase
                    ? "Neither the database nor the state directory has a receipt that these keys signed."
                    : "There is no receipt in the state directory yet, and no database is named.",
                remedy: """
                    Receipts of a server are in the plan's database: name it with --database (for a server, its \
                    erasures.database-url), and the server's state directory with --state. Or name a receipt's file.
                    """)
        }
        let status = try await installation.connected(.looking) { try await ErasureArchive($0).erasure(id) }
        guard let status else {
            throw misuse(
                "run.unknown", "There is no erasure with this identifier.", remedy: "farewell status lists them.")
        }
        guard let receipt = status.erasure.receipt else {
            throw misuse(
                "receipt.none-yet", "This erasure has no receipt yet: it is \(status.erasure.state.rawValue).",
                remedy: "See farewell status \(ErasureEnding.name(id)).")
        }
        return receipt
    }

    /// The newest receipt of the database that these keys signed; `nil` if there is none, no database is named, or
    /// it does not answer.
    private func newest(by verifier: ReceiptVerifier) async throws -> String? {
        guard installation.hasDatabase else { return nil }
        do {
            let newest = try await installation.connected(.looking) { database in
                try await ErasureArchive(database).newestReceipts(limit: Self.looked)
            }
            return newest.first { (try? verifier.verify($0.signed)) != nil }?.signed
        } catch let error as FarewellError {
            Terminal.error.line(Terminal.error.yellow("! ") + Terminal.printable(error.message))
            Terminal.error.line("  The newest receipt of the state directory is used.")
            return nil
        }
    }

    /// So many of the newest receipts are looked at where several installations share a database.
    private static let looked = 50
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
