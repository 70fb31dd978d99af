// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import Foundation

/// The receipts in the state directory: `receipts/ID.jws`, signed, and `receipts/ID.html`, to read.
struct Receipts {
    private let path: String
    private var folder: URL { URL(fileURLWithPath: path) }

    init(state: String) { path = state + "/receipts" }

    /// Keeps a receipt in both forms, readable by its owner only; answers the path of the signed one.
    func keep(_ receipt: Receipt, signed: String) throws -> String {
        let name = receipt.id.text
        try write(signed + "\n", to: "\(path)/\(name).jws")
        try write(ReceiptPage.html(receipt, jws: signed), to: "\(path)/\(name).html")
        return "\(path)/\(name).jws"
    }

    private func write(_ text: String, to path: String) throws {
        let manager = FileManager.default
        do {
            try manager.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw Self.unwritable }
        guard manager.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]) else {
            throw Self.unwritable
        }
    }

    private static let unwritable = FarewellError(
        "receipt.unwritable", .yoursToFix,
        "The receipt cannot be written into the state directory; it is kept in the database.",
        remedy: "Make room or allow writing there, then ask for it with farewell receipt show.")

    /// The signed receipt that an identifier or a path names; the newest one when nothing is named.
    ///
    /// Files are looked at first: checking a receipt needs no database.
    func find(_ name: String?) throws -> String? {
        guard let name else { return try newest() }
        if let id = UUID(text: name) {
            return try? read(folder.appendingPathComponent("\(id.text).jws").path)
        }
        return try read(name)
    }

    /// How many there are.
    var count: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).count { $0.hasSuffix(".jws") }
    }

    private func newest() throws -> String? {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey]
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))) ?? []
        let dated = files.filter { $0.pathExtension == "jws" }.map { file in
            (file, (try? file.resourceValues(forKeys: keys))?.contentModificationDate ?? .distantPast)
        }
        guard let newest = dated.max(by: { $0.1 < $1.1 }) else { return nil }
        return try read(newest.0.path)
    }

    /// No receipt is larger.
    private static let limit = 8 << 20

    private func read(_ path: String) throws -> String {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: Self.limit + 1),
            data.count <= Self.limit, let text = String(data: data, encoding: .utf8)
        else {
            throw misuse(
                "receipt.missing", "There is no receipt to read at \(Terminal.printable(path)).",
                remedy: "Name a file, or the identifier that farewell status shows.")
        }
        return text
    }
}
