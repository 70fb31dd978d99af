// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// The receipts in the state directory: `receipts/ID.jws`, each signed and named after its erasure.
///
/// The database has them as well. No write here waits for the disk: `ReceiptRestoration` writes missing ones.
struct Receipts: Sendable {
    let path: String

    init(state: String) { path = state + "/receipts" }

    func path(of erasure: UUID) -> String { path + "/" + Self.name(of: erasure) }

    private static func name(of erasure: UUID) -> String { erasure.text + "." + ending }
    private static let ending = "jws"

    /// Writes a receipt as a whole, readable by its owner only.
    ///
    /// - Throws: `receipt.unwritable`.
    func keep(_ receipt: IssuedReceipt) throws {
        let file = PrivateFile(folder: path, name: Self.name(of: receipt.erasure))
        guard file.replace(with: receipt.signed + "\n") else { throw Self.unwritable }
    }

    /// Writes a receipt that was missing. Its file is as old as the receipt, so that the newest file stays the newest
    /// receipt.
    func restore(_ receipt: IssuedReceipt) throws {
        try keep(receipt)
        try? FileManager.default.setAttributes(
            [.modificationDate: receipt.finishedAt], ofItemAtPath: path(of: receipt.erasure))
    }

    private static let unwritable = FarewellError(
        "receipt.unwritable", .yoursToFix,
        "Receipts cannot be written to the state directory; the database keeps them.",
        remedy: "Free space or allow writing there; the next command that reads the database writes them.")

    /// The signed receipt that an identifier or a path names; the newest file by default.
    ///
    /// Files come first: checking a receipt needs no database.
    func find(_ name: String?) throws -> String? {
        guard let name else { return try newest() }
        if let id = UUID(text: name) {
            let text = try? read(path(of: id))
            // After a loss of power a file may be there and empty.
            return text?.isEmpty == false ? text : nil
        }
        return try read(name)
    }

    // MARK: Present receipts

    /// How many there are.
    var count: Int { names.count { $0.hasSuffix("." + Self.ending) && !$0.hasPrefix(".") } }

    /// When a file was last added or removed, as the system writes it; `nil` if the folder does not exist.
    var changedAt: String? { PrivateFile.changedAt(path) }

    /// The erasures whose receipts are there. Removes what killed processes of this machine left half-written.
    ///
    /// - Parameter isExact: Whether an empty file, as a loss of power may leave it, does not count.
    func erasures(isExact: Bool) -> Set<UUID> {
        var found: Set<UUID> = []
        for name in names {
            guard let id = UUID(text: String(name.prefix(36))), name == Self.name(of: id) else {
                PrivateFile(folder: path, name: name).removeIfAbandoned()
                continue
            }
            if !isExact || PrivateFile(folder: path, name: name).hasContent { found.insert(id) }
        }
        return found
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    private func newest() throws -> String? {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey]
        let folder = URL(fileURLWithPath: path)
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))) ?? []
        let dated = files.filter { $0.pathExtension == Self.ending }.map { file in
            (file, (try? file.resourceValues(forKeys: keys))?.contentModificationDate ?? .distantPast)
        }
        guard let newest = dated.max(by: { $0.1 < $1.1 }) else { return nil }
        return try read(newest.0.path)
    }

    /// No receipt is larger.
    private static let limit = 8 << 20

    private func read(_ path: String) throws -> String {
        guard let data = try? OrdinaryFile.read(path, limit: Self.limit + 1, allowsOpenPipes: true),
            data.count <= Self.limit, let text = String(validating: data, as: UTF8.self)
        else {
            throw misuse(
                "receipt.missing", "There is no receipt to read at \(Terminal.printable(path)).",
                remedy: "Name a file, or the identifier that farewell status shows.")
        }
        return text
    }
}
