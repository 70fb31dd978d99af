// SPDX-License-Identifier: Apache-2.0

import FarewellClient
@testable import FarewellUI
import Foundation
import Testing

@Suite("Files of a receipt")
@MainActor
struct ReceiptFilesTests {
    /// A number that no system gives to a process.
    private static let ended = Int32.max

    @Test("AD-7 receipt files of a killed app are gone at its next start; those of a running process stay")
    func killed() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("receipts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let receipt = DeletionReceipt(signed: "a.b.c", page: "<p>gone</p>")
        let left = ReceiptFiles(in: folder, process: Self.ended).make(receipt, number: "0b54")
        let shown = ReceiptFiles(in: folder).make(receipt, number: "0b55")
        let foreign = folder.appendingPathComponent("farewell-receipts.txt")
        try Data("the app's own".utf8).write(to: foreign)
        #expect((left + shown).map(\.pathExtension) == ["jws", "html", "jws", "html"])
        _ = DeletionModel(ScriptedAccount(), receiptsIn: folder)
        #expect(!left.contains { FileManager.default.fileExists(atPath: $0.path) })
        #expect((shown + [foreign]).allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    }

    @Test("a receipt that cannot be written gives no files and undoes no deletion")
    func unwritable() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("receipts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder)
        let deletion = DeletionModel(ScriptedAccount(), receiptsIn: folder)
        deletion.ask()
        await deletion.confirm()
        #expect(deletion.state == .done && deletion.receiptFiles.isEmpty && deletion.receipt?.id == "0b54")
    }
}
