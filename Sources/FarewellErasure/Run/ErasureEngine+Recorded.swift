// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

extension ErasureEngine {
    /// Whether an erasure of a subject is recorded by the keys of a state directory: in the control store, or in either
    /// copy of the ledger. Makes nothing.
    ///
    /// - Throws: `subject.malformed`; errors of the database, the ledger and the state directory.
    package func isRecorded(_ subject: String, state: String) async throws -> Bool {
        guard let keys = try KeyStore.existing(at: state) else { return false }
        var forms = [try SubjectResolver(prepared: prepared).key(subject).asSubject, .text(subject)]
        if let uuid = UUID(text: subject) {
            // A column of text may hold it in any spelling; the row is gone.
            let text = uuid.text
            forms += [.uuid(uuid), .text(text), .text(text.replacing("-", with: ""))]
        }
        let table = prepared.plan.subject.table
        let hashes = Set(forms.map { keys.subjectHash(table: table, key: $0) })
        let file = try LedgerFile(keys).read()
        if hashes.contains(where: { file.contains($0) }) { return true }
        let isReady = try await database.withConnection { try await control.hasInstallation.run(on: $0).keys }
        guard isReady else { return false }
        let archive = ErasureArchive(database)
        for hash in hashes {
            let known = try await archive.erasures(of: hash)
            if !known.isEmpty { return true }
        }
        return try await control.ledgerEntries.run(in: database).contains { row in
            row.entry.map { hashes.contains($0.subject) } ?? false
        }
    }
}
