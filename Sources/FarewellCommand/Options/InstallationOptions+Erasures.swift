// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

extension InstallationOptions {
    /// All erasures of a subject that the database knows, newest first, by the keys of the state directory.
    ///
    /// - Throws: `state.missing` or `keys.missing` if there are no keys, and so no erasure of this installation.
    func erasures(of subject: String, under plan: Plan, _ archive: ErasureArchive) async throws -> [ErasureStatus] {
        let keys = try KeyStore.existing(in: StateDirectory.existing(at: statePath))
        // A uuid may be typed in capitals; the database holds it in small letters.
        var forms: [SQLValue] = [.text(subject)]
        if let uuid = UUID(text: subject) { forms.append(.uuid(uuid)) }
        var found: [ErasureStatus] = []
        for form in forms {
            found += try await archive.erasures(of: keys.subjectHash(table: plan.subject.table, key: form))
        }
        var seen: Set<UUID> = []
        return found.filter { seen.insert($0.erasure.id).inserted }
    }
}
