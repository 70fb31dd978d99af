// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// A receipt and the keys to check it by.
struct ReceiptSource: ParsableArguments {
    @OptionGroup var installation: InstallationOptions

    @Argument(
        help: ArgumentHelp("The erasure's identifier or the receipt's file.", valueName: "erasure-or-file"),
        completion: .file())
    var receipt: String?

    @Option(
        help: ArgumentHelp("The issuer's public keys. Default: those of the state directory.", valueName: "file"),
        completion: .file())
    var keys: String?

    func validate() throws { try refuseEmpty([("erasure-or-file", receipt), ("--keys", keys)]) }

    func verified() async throws -> (signed: String, VerifiedReceipt) {
        let verifier = ReceiptVerifier(keys: try publicKeys())
        let signed = try await signed(by: verifier).trimmingCharacters(in: .whitespacesAndNewlines)
        return (signed, try verifier.verify(signed))
    }

    private static let other = FarewellError(
        "receipt.other", .yoursToFix, "The copy under this identifier is the receipt of another erasure.",
        remedy: "Name the database with --database: farewell doctor compares its receipts with the files.")

    /// The receipt in the file named after an erasure, whatever it is.
    private func filed(_ id: UUID, by verifier: ReceiptVerifier) -> (signed: String, isGenuine: Bool)? {
        Receipts(state: installation.statePath).text(of: id).map { ($0, (try? verifier.verify($0))?.receipt.id == id) }
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
                remedy: "Name a file that farewell receipt keys or farewell export --public-key wrote.")
        }
        return try PublicKeyList(json: Data(data))
    }

    private func signed(by verifier: ReceiptVerifier) async throws -> String {
        let receipts = Receipts(state: installation.statePath)
        if receipt == nil, let newest = try await newest(by: verifier) { return newest }
        let id = receipt.flatMap(UUID.init(text:))
        let file = id.flatMap { filed($0, by: verifier) }
        if let file, file.isGenuine { return file.signed }
        if let file, !installation.hasDatabase {
            _ = try verifier.verify(file.signed)
            throw Self.other
        }
        if id == nil, let found = try receipts.find(receipt) { return found }
        guard let id else {
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
        // An erasure that ended twice has a second receipt with an identifier of its own, about the same subject.
        let own = try verifier.verify(receipt).receipt
        guard own.id == id || own.subject == status.erasure.subjectHash else { throw Self.other }
        if file != nil {
            Terminal.error.line(
                Terminal.error.yellow("! ") + "The file receipts/\(ErasureEnding.name(id)).jws is not this erasure's "
                    + "genuine receipt. The database's copy is used.")
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

    /// How many of the newest receipts are read where several installations share a database.
    private static let looked = 50
}
