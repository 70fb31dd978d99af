// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

extension ErasureEngine {
    /// Restores entries that only one of the ledger's copies has, and logs it.
    ///
    /// - Parameter known: The state of the file when it was last read.
    /// - Throws: `ledger.tampered` where the file was changed; errors of the database.
    @discardableResult
    package func reconcileLedger(known: LedgerCheckpoint? = nil) async throws -> LedgerAgreement? {
        let reconciler = LedgerReconciler(database: database, control: control, ledger: ledger)
        let agreement: LedgerAgreement
        do {
            agreement = try await reconciler.reconcile(known: known)
        } catch let error as FarewellError where error.code == "sql.42501" {
            environment.log.warning("This role may not read farewell.ledger: the ledger's copies are not compared.")
            return nil
        } catch let error as FarewellError where error.code == "state.busy" {
            // A process that was stopped while it restored entries must not keep others from starting.
            environment.log.warning("The ledger's copies are compared later. \(error.message)")
            return nil
        }
        if agreement.missingInFile > 0 {
            environment.log.warning(
                "The ledger's file had lost erasures; they were restored from the database.",
                metadata: ["erasures": "\(agreement.missingInFile)"])
        }
        if agreement.missingInDatabase > 0 {
            environment.log.warning(
                "The database lacked erasures of the ledger's file; they were added. Was a back-up restored?",
                metadata: ["erasures": "\(agreement.missingInDatabase)"])
        }
        if agreement.conflicting > 0 {
            environment.log.error(
                "The ledger's file and the database conflict on some erasures: see farewell doctor.",
                metadata: ["erasures": "\(agreement.conflicting)"])
        }
        return agreement
    }

    /// Makes the control store again if the database has none any longer, as after the restore of a back-up from before
    /// the first erasure, and enters the erasures of the ledger's file in it.
    ///
    /// - Returns: Whether it was missing.
    /// - Throws: The errors of `reconcileLedger`.
    package func remakeStore() async throws -> Bool {
        let now = environment.now()
        let isMissing = try await database.transaction { connection in
            guard try await !control.hasInstallation.run(on: connection).keys else { return false }
            try await control.migrations.apply(on: connection, now: .timestamp(now))
            try await KeyClaim(control: control).claim(keys, on: connection, at: now)
            return true
        }
        // Also where an earlier call made the tables and was then interrupted.
        _ = try await reconcileLedger()
        try await Self.remember(prepared, of: unfit == nil ? loaded.source : nil, in: control, on: database)
        try await clock.begin()
        return isMissing
    }

    /// Compares the ledger's copies without an engine, for read-only commands. Changes nothing.
    ///
    /// - Parameters:
    ///   - isWhole: Whether every entry is compared; otherwise numbers are, and only their difference is reported.
    ///   - receipts: The number of receipts in the state directory.
    /// - Returns: `nil` if there are no keys, or neither a control store nor an entry in the file nor a receipt.
    /// - Throws: `ledger.tampered`, `keys.other`, `keys.missing` if there is a ledger without keys; errors of the
    ///   database and the state directory.
    package static func ledgerAgreement(
        in database: any SQLDatabase, state: String, isWhole: Bool = true, receipts: Int = 0
    ) async throws -> LedgerAgreement? {
        guard let keys = try KeyStore.existing(at: state) else {
            if let loss = try KeyStore.loss(at: state) { throw loss }
            return nil
        }
        let control = ControlStore(dialect: database.dialect)
        let isReady = try await database.withConnection { connection in
            guard try await control.hasInstallation.run(on: connection).keys else { return false }
            try await KeyClaim(control: control).refuseOthers(keys, on: connection)
            return true
        }
        let file = LedgerFile(keys)
        guard isReady else {
            // The database may be a back-up from before the first erasure.
            let found = try file.read()
            guard found.erasures > 0 || receipts > 0 else { return nil }
            return LedgerAgreement(found, LedgerComparison(found, []), receipts: receipts)
        }
        let reconciler = LedgerReconciler(database: database, control: control, ledger: file)
        if !isWhole, let count = try await reconciler.agreed(), receipts <= count {
            return LedgerAgreement(file: count, database: count)
        }
        return try await reconciler.compare(receipts: receipts)
    }

    /// Refuses a state directory whose keys are not those with which the database's erasures were made. Makes nothing.
    ///
    /// - Throws: `keys.not-here`, `keys.other`; errors of the database and the state directory.
    package static func refuseOtherKeys(in database: any SQLDatabase, state: String) async throws {
        let keys = try KeyStore.existing(at: state)
        let claim = KeyClaim(control: ControlStore(dialect: database.dialect))
        do {
            try await database.withConnection { try await claim.refuseOthers(keys, on: $0) }
        } catch {
            // Another process that started at the same moment may have made keys, and then the database's claim.
            guard keys == nil, let made = try KeyStore.existing(at: state) else { throw error }
            try await database.withConnection { try await claim.refuseOthers(made, on: $0) }
        }
    }

    /// Refuses what opening an engine would refuse while it writes: on SQLite the first write changes the file's
    /// journal. Makes nothing.
    ///
    /// - Throws: `control.newer`, `control.foreign-table`, `keys.not-here`, `keys.other`, `keys.missing`; errors of the
    ///   database and the state directory.
    static func refuseBeforeWriting(in database: any SQLDatabase, state: String) async throws {
        try await refuseNewerStore(in: database)
        if !database.dialect.hasSchemas {
            try await database.withConnection { connection in
                try await ControlMigrations(dialect: database.dialect).refuseForeignTables(on: connection)
            }
        }
        try await refuseOtherKeys(in: database, state: state)
        if let loss = try KeyStore.loss(at: state) { throw loss }
    }

    /// Makes a database belong to the keys of this state directory, which are made if there are none, although its
    /// erasures were made with other keys that are lost. Subjects erased under those are not recognised again.
    ///
    /// - Returns: The number of entries of the ledger that can no longer be matched.
    package static func adoptKeys(
        in database: any SQLDatabase, state: String, environment: EngineEnvironment
    ) async throws -> Int {
        try await refuseNewerStore(in: database)
        let control = ControlStore(dialect: database.dialect)
        let now = environment.now()
        return try await database.transaction { connection in
            try await control.migrations.apply(on: connection, now: .timestamp(now))
            let keys = try await BlockingWork.run {
                try KeyStore.prepared(in: StateDirectory.prepared(at: state), now: environment.now)
            }
            return try await KeyClaim(control: control).adopt(keys, on: connection, at: now)
        }
    }
}
