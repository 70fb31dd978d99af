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
        connectors: [String: any Connector] = [:], environment: EngineEnvironment
    ) async throws -> ErasureEngine {
        let prepared = try await PreparedPlan.prepare(plan.rooted(at: folder), on: database)
        try await refuseOtherKeys(in: database, state: state)
        let keys = try await BlockingWork.run {
            try KeyStore.prepared(in: StateDirectory.prepared(at: state), now: environment.now)
        }
        return ErasureEngine(
            database: database, prepared: prepared, control: ControlStore(dialect: database.dialect), keys: keys,
            environment: environment, connectors: connectors)
    }

    /// Writes all data of a subject into a new folder that only its owner can read.
    ///
    /// The folder appears when it is complete. Until then its files lie in a hidden folder beside it, which is removed
    /// when the export fails or is cancelled, and by the next export to the same place when the process was killed.
    ///
    /// An export that continues takes files and objects from the interrupted one, if they were complete and their
    /// sources say that they have not changed. Rows and documents are always read again, in one state.
    ///
    /// - Parameters:
    ///   - path: The folder to be made, or the archive where it ends in `.zip`; its parent exists.
    ///   - meter: Counts what is written, and limits it.
    ///   - interrupted: Whether this export continues an interrupted one, and leaves its own complete files where it
    ///     fails for a passing reason.
    /// - Returns: The signed manifest.
    /// - Throws: `export.exists`, `export.output`, `export.busy`, `export.too-large`; `subject.unknown`,
    ///   `subject.malformed`; errors of the database and the disk.
    package func export(
        _ subject: String, to path: String, meter: ExportMeter = ExportMeter(),
        interrupted: InterruptedExport = .removed
    ) async throws -> ExportManifest {
        let context = context(ErasureOptions())
        // Under a plan that does not fit, an export could hold a column that the plan does not know.
        if let unfit = context.unfit { throw unfit.error }
        // A server runs for longer than a schema stays the same.
        guard let fresh = try await context.prepared.restamped(on: database) else { throw GuardFailure.schemaChanged }
        let key = try SubjectResolver(prepared: fresh).key(subject)
        let current = context.with(fresh)
        let folder = try await ExportFolder.begin(
            at: path, meter: meter, continuing: interrupted == .removed ? nil : identity(of: key, current))
        do {
            return try await SubjectExport(context: current, folder: folder, meter: meter).write(key)
        } catch {
            // A call that is cancelled may fail as if the system had not answered.
            let isCancelled = error is CancellationError || Task.isCancelled
            let isLeft = interrupted == .continued && !isCancelled && (error as? FarewellError)?.family == .tryAgain
            // In a new task, because a cancelled task could not remove the written files.
            await Task { if isLeft { await folder.leave() } else { await folder.discard() } }.value
            if isCancelled { throw CancellationError() }
            throw error
        }
    }

    /// Only an export of the same subject by the same plan and program continues another.
    private func identity(of key: SQLValue, _ context: ErasureContext) -> (identity: String, now: String) {
        let parts = [
            FarewellVersion.current, context.subjectHash(key).rawValue, context.prepared.planFingerprint,
            context.prepared.schemaFingerprint,
        ]
        return (ExportSource.digest(parts.map { Array($0.utf8) }), UTCTime.text(environment.now()))
    }

    /// Records an act with an export in the audit log: whose, by the keyed hash, and no value.
    func record(_ act: String, of subject: SubjectHash, _ details: [String: String]) async throws {
        let audit = context(ErasureOptions()).audit
        try await database.transaction { connection in
            let entry = AuditLog.Act(act: act, subjectHash: subject.rawValue, details: details)
            try await audit.append([entry], actor: "service", at: environment.now(), on: connection)
        }
    }

    /// The public key that signs exports, as a JSON Web Key Set (RFC 7517).
    package var exportKeys: Data {
        get throws { try keys.exportKeys.json() }
    }
}
