// SPDX-License-Identifier: Apache-2.0

package import Farewell
import FarewellKeys
import FarewellPlan
package import FarewellSQL
import Foundation

extension ErasureEngine {
    /// An engine for exports: it reads the database, and has the keys of the state directory, which is made when
    /// missing. It makes no control store.
    ///
    /// - Throws: `keys.not-here` and `keys.other` when the database's erasures were made with other keys;
    ///   `plan.unaccounted`; errors of the database and of the state directory.
    package static func exporting(
        from database: any SQLDatabase, plan: Plan, folder: String = ".", state: String,
        environment: EngineEnvironment
    ) async throws -> ErasureEngine {
        let prepared = try await PreparedPlan.prepare(plan.rooted(at: folder), on: database)
        try await refuseOtherKeys(in: database, state: state)
        let keys = try await BlockingWork.run {
            try KeyStore.prepared(in: StateDirectory.prepared(at: state), now: environment.now)
        }
        return ErasureEngine(
            database: database, prepared: prepared, control: ControlStore(dialect: database.dialect), keys: keys,
            environment: environment)
    }

    /// Writes all data of a subject into a new folder that only its owner can read.
    ///
    /// The folder appears when it is complete. Until then its files lie in a hidden folder beside it, which is removed
    /// when the export fails or is cancelled, and by the next export to the same place when the process was killed.
    ///
    /// - Parameter path: The folder to be made; its parent exists.
    /// - Returns: What the export holds, as it was signed.
    /// - Throws: `export.exists`, `export.output`, `export.busy`; `subject.unknown`, `subject.malformed`; what the
    ///   database and the disk throw.
    package func export(_ subject: String, to path: String) async throws -> ExportManifest {
        let key = try SubjectResolver(prepared: prepared).key(subject)
        let folder = try await ExportFolder.begin(at: path)
        do {
            return try await SubjectExport(context: context(ErasureOptions()), folder: folder).write(key)
        } catch {
            // In a task of its own: a cancelled one could not remove what was written.
            await Task { await folder.discard() }.value
            throw error
        }
    }

    /// The public key that signs exports, as a JSON Web Key Set (RFC 7517).
    package var exportKeys: Data {
        get throws { try keys.exportKeys.json() }
    }
}
