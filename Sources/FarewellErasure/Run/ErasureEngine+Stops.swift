// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

extension ErasureEngine {
    /// Adds lines to the file of stops, as the last act of the transaction that records them: once that is committed,
    /// no restore of the database forgets the stop.
    ///
    /// A stop does not fail because the file takes no line: the transaction then records that the line is late, and
    /// any process adds it with its next comparison.
    func note(_ lines: [Stop], on connection: any SQLConnection) async throws {
        guard !lines.isEmpty else { return }
        let isInFile = await add(lines)
        let records = control.record(lines, isInFile: isInFile)
        if !records.isEmpty { _ = try await connection.pipeline(records) }
    }

    /// Whether the file took the lines; if not, the log says why.
    private func add(_ lines: [Stop]) async -> Bool {
        let file = stops
        do {
            try await BlockingWork.run { try file.append(lines) }
            return true
        } catch {
            environment.log.error(
                "A cancellation or a hold is in the database only until the state directory takes it.",
                metadata: ["error": "\(FarewellError.text(of: error))"])
            return false
        }
    }

    /// Adds the lines that are late, by whichever process they were recorded.
    private func addLateStops() async throws {
        let control = control
        guard try await control.hasStops.run(in: database), try await control.hasLateStops.run(in: database) else {
            return
        }
        var count = 0
        repeat {
            count = try await database.transaction { connection in
                let lines = try await control.lateStops.run(on: connection)
                guard !lines.isEmpty, await add(lines) else { return 0 }
                _ = try await connection.pipeline(control.arrived(lines))
                return lines.count
            }
        } while count == ControlStore.mostLateStops
    }

    /// Puts back the cancellations and holds that the database has forgotten, as after its back-up was restored, and
    /// logs it. Adds to the file what it lacks.
    ///
    /// - Throws: `ledger.tampered` where the file was changed; errors of the database.
    @discardableResult
    package func reconcileStops() async throws -> StopAgreement {
        let reconciler = StopReconciler(database: database, control: control, file: stops)
        let agreement: StopAgreement
        do {
            try await addLateStops()
            agreement = try await reconciler.reconcile(
                at: environment.now(), context(ErasureOptions()).audit, note: { try await note($0, on: $1) })
        } catch let error as FarewellError where ["sql.42501", "audit.broken"].contains(error.code.rawValue) {
            environment.log.error("Cancellations and holds are not compared. \(error.message)")
            return StopAgreement()
        }
        if !agreement.isEmpty {
            environment.log.warning(
                "The database had forgotten stopped erasures; they are stopped again. Was a back-up restored?",
                metadata: [
                    "cancelled": "\(agreement.cancelled.map(\.text).joined(separator: " "))",
                    "held": "\(agreement.held.map(\.text).joined(separator: " "))",
                ])
        }
        return agreement
    }

    /// The stops that this engine put back when it was opened.
    package var putBack: StopAgreement { putBackAtOpening.withLock { $0 } }

    /// The stops that the database has forgotten, without an engine, for read-only commands. Changes nothing.
    ///
    /// - Throws: `ledger.tampered`, or the database's error.
    package static func forgottenStops(in database: any SQLDatabase, state: String) async throws -> StopAgreement {
        guard let keys = try KeyStore.existing(at: state) else { return StopAgreement() }
        let control = ControlStore(dialect: database.dialect)
        guard try await control.hasInstallation.run(in: database).keys else { return StopAgreement() }
        return try await StopReconciler(database: database, control: control, file: StopFile(keys)).compare()
    }
}
