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

    /// The signed receipt of a file; the newest by default.
    func find(_ path: String?) throws -> String? {
        guard let path else { return try newest() }
        return try read(path)
    }

    /// The contents of the file named after an erasure, unchecked; `nil` if there is no file, or if it is empty, as it
    /// may be after a loss of power.
    func text(of erasure: UUID) -> String? {
        let text = try? read(path(of: erasure)).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text else { return isPresent(erasure) ? "unreadable" : nil }
        return text.isEmpty ? nil : text
    }

    private func isPresent(_ erasure: UUID) -> Bool {
        PrivateFile(folder: path, name: Self.name(of: erasure)).hasContent
    }

    /// When the newest of these files last changed, in its content or otherwise; `nil` if there is none.
    func newestChange(of erasures: Set<UUID>) -> String? {
        erasures.compactMap { PrivateFile.changedInodeAt(path(of: $0)) }.max { $0 < $1 }.map {
            "\($0.seconds).\($0.nanoseconds)"
        }
    }

    // MARK: Present receipts

    /// How many there are.
    var count: Int { names.count { $0.hasSuffix("." + Self.ending) && !$0.hasPrefix(".") } }

    /// When a file was last added or removed, as the system writes it; `nil` if the folder does not exist.
    var changedAt: String? { PrivateFile.changedAt(path) }

    /// The erasures whose receipts exist. Removes half-written files of killed processes of this machine.
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
        let data: [UInt8]
        do {
            data = try OrdinaryFile.read(path, limit: Self.limit + 1, allowsOpenPipes: true)
        } catch {
            throw misuse(
                "receipt.missing", "There is no receipt to read at \(Terminal.printable(path)).",
                remedy: "Name a file, or the identifier that farewell status shows.")
        }
        guard data.count <= Self.limit, let text = String(validating: data, as: UTF8.self) else {
            throw misuse(
                "receipt.malformed",
                "The file \(Terminal.printable(path)) is no receipt: it is not text, or too long.",
                remedy: "Name the file of a receipt (.jws), or the identifier that farewell status shows.")
        }
        return text
    }
}
