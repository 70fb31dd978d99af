// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import FarewellSessions
import Foundation

/// Whether a server's settings can be worked by in its database. Looked at before keys, tables and folders are made, so
/// that settings which are refused leave nothing behind.
struct ServerAcceptance {
    let settings: ServeSettings
    let plan: NamedPlan?
    let environment: EngineEnvironment

    /// - Throws: `authority.…`, `keys.…`, `control.newer`, `plan.…`, or what the database throws.
    func refuse(in database: any SQLDatabase) async throws {
        try settings.authority.check()
        try await refuseOthers(in: database)
        try await SessionAuthority.refuseLostKeys(in: database, state: settings.state)
        try await ErasureEngine.refuseOtherKeys(in: database, state: settings.state)
        guard settings.erasures.database == nil, let plan else { return }
        // Tried and rolled back, so that a refusal of the database shows before keys are created.
        _ = try await SessionAuthority.schemaOnceOpen(in: database, now: environment.now())
        try await ErasureAssembly.refuseUnworkable(plan, in: database)
    }

    /// The accounts belong to another program: usually the settings name the app's database.
    private func refuseOthers(in database: any SQLDatabase) async throws {
        do {
            try await SessionAuthority.refuseOthers(in: database)
        } catch let error as FarewellError where error.code == "authority.foreign-table" {
            throw FarewellError(
                error.code, error.family, error.message,
                remedy: """
                    Name the app's database in erasures.database-url (FAREWELL_ERASURES_DATABASE_URL), and a \
                    separate one for the server in database.url (FAREWELL_DATABASE_URL), by default a SQLite file in \
                    the state directory.
                    """)
        }
    }

    /// The same where the database is a SQLite file that is not there yet: looked at in a passing one.
    func refuseUnmade() async throws {
        guard try await isUnmade() else { return }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "farewell-\(environment.makeIdentifier().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FarewellError(
                "settings.temporary-folder", .yoursToFix, "The folder for temporary files cannot be written.",
                remedy: "Make /tmp writable, or name a writable folder in TMPDIR.")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase(
            path: folder.appendingPathComponent("passing.sqlite").path,
            configuration: SQLiteConfiguration(access: .createIfMissing))
        do {
            try await refuse(in: database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func isUnmade() async throws -> Bool {
        do {
            await (try openDatabase(settings.databaseAddress)).close()
            return false
        } catch let error as FarewellError where error.code == "sql.missing-file" {
            return true
        }
    }
}
