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

    /// Runs `body`. If it finds no data of the subject, whose erasure is unfinished, the error names that erasure.
    ///
    /// - Throws: `erasure.unfinished`; what `body` throws.
    func namingUnfinished<Value>(
        of subject: String, under plan: Plan, in database: any SQLDatabase, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as FarewellError where error.code == "subject.unknown" {
            let all = try? await erasures(of: subject, under: plan, ErasureArchive(database))
            guard let open = all?.map(\.erasure).first(where: \.state.isLive) else { throw error }
            let name = ErasureEnding.name(open.id)
            guard open.state == .needsAttention else {
                throw FarewellError(
                    "erasure.unfinished", .tryAgain,
                    "No rows of this subject are left, but erasure \(name) of this subject is not finished: "
                        + "it is \(open.state.rawValue).",
                    remedy: "Finish it with farewell erase --resume; see farewell status \(name).")
            }
            throw FarewellError(
                "erasure.parked", .yoursToFix, "Erasure \(name) of this subject is parked: \(open.cause ?? "")",
                remedy: "Fix the cause, then: farewell erase --release \(name)")
        }
    }
}
