// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Exports one subject: every row that an erasure would delete or change, by the same selections and in one state of
/// the database, and every file.
struct SubjectExport: Sendable {
    let context: ErasureContext
    let folder: ExportFolder
    let meter: ExportMeter

    private var prepared: PreparedPlan { context.prepared }

    /// Writes everything into the folder and gives the folder its name.
    ///
    /// - Throws: `subject.unknown`; errors of the database and the disk. The caller discards the folder then.
    func write(_ key: SQLValue) async throws -> ExportManifest {
        let now = context.environment.now()
        var manifest = ExportManifest(
            id: context.environment.makeIdentifier().text, subject: context.subjectHash(key).rawValue,
            createdAt: UTCTime.text(now), planFingerprint: prepared.planFingerprint,
            schemaFingerprint: prepared.schemaFingerprint, engineVersion: FarewellVersion.current)
        let before = try await erasures(of: key)
        let page = try ExportPage(try folder.file("index.html"), createdAt: manifest.createdAt)
        let (subject, written) = try await tables(key, page)
        manifest.tables = written.map(\.table)
        manifest.files = written.flatMap(\.files)
        try await files(of: subject, page, &manifest)
        try await systems(of: subject, page, &manifest)
        for column in prepared.program.graph.largeObjectColumns {
            manifest.notExported.append(
                .init(
                    about: NameSpelling.name("\(column)"),
                    reason: "The export has the numbers of large objects, not their contents."))
        }
        if Self.isMissingErased(before: before, after: try await erasures(of: key)) {
            manifest.notExported.append(
                .init(
                    about: "erasure",
                    reason: "An erasure of this data began before the export was complete. What it erased is missing."))
        }
        manifest.earlier = folder.takenOver
        let size = try page.end(manifest)
        manifest.files.append(.init(path: "index.html", bytes: size.bytes, sha256: size.sha256))
        try sign(manifest)
        try Task.checkCancellation()
        try await folder.publish()
        return manifest
    }

    // MARK: Rows

    private struct Written: Sendable {
        var table: ExportManifest.Table
        var files: [ExportManifest.File]
    }

    /// All tables in one transaction that can write nothing.
    private func tables(_ key: SQLValue, _ page: ExportPage) async throws -> (SealedSubject, [Written]) {
        let exports = RowExport.all(of: prepared.plan, in: prepared.program.graph)
        meter.begin(tables: exports.count)
        let count = SubjectCount(context: context, key: key)
        return try await context.database.readOnly { connection in
            try await count.given(
                to: { key, counted in
                    let written = try await tables(exports, key, counted, page, on: connection)
                    let subject = try await counted()
                    try Self.compare(written.map(\.table), with: subject)
                    return (subject, written)
                }, on: connection)
        }
    }

    private func tables(
        _ exports: [RowExport], _ key: SQLValue, _ counted: SubjectCount.Answer, _ page: ExportPage,
        on connection: any SQLConnection
    ) async throws -> [Written] {
        var names = ExportNames()
        var written: [Written] = []
        for export in exports {
            defer { meter.endTable() }
            // A file for other subjects' rows is written only if there are any.
            if export.share == .naming, try await counted().counts[export.place] ?? 0 == 0 { continue }
            let table = NameSpelling.name("\(export.table)")
            let name = names.name(for: table + (export.share == .naming ? ".naming-you" : ""))
            written.append(try await write(export, name, key, counted, page, on: connection))
            try Task.checkCancellation()
        }
        return written
    }

    /// One state of the database, one selection: a difference is a defect, and an export that lacks rows is none.
    static func compare(_ written: [ExportManifest.Table], with subject: SealedSubject) throws {
        for table in written {
            let expected = subject.counts[table.place] ?? 0
            guard table.rows != expected else { continue }
            throw FarewellError(
                "export.count", .ours,
                "\(table.rows) rows of \(table.place) were read for the export, but \(expected) were counted.")
        }
    }

    private func write(
        _ export: RowExport, _ name: String, _ key: SQLValue, _ counted: SubjectCount.Answer, _ page: ExportPage,
        on connection: any SQLConnection
    ) async throws -> Written {
        let (csv, json) = ("tables/\(name).csv", "tables/\(name).json")
        let writer = try ExportedTable(
            export, csv: try folder.file("tables", name + ".csv"), json: try folder.file("tables", name + ".json"),
            connection.dialect)
        let values = RowValues(subjects: [key])
        func read(_ rows: RowStatement) async throws {
            do {
                try await self.read(rows.bound(values, dialect: connection.dialect), into: writer, on: connection)
            } catch let error as FarewellError {
                throw error.naming(unreadableIn: "\(export.table)")
            }
        }
        try await read(export.rows)
        // In this state of the database the count covers both: if no row is missing, no other table leads to more.
        if let rest = export.rest, try await counted().counts[export.place] ?? 0 != writer.rows {
            try await read(rest)
        }
        let ended = try writer.end()
        let table = ExportManifest.Table(
            place: export.place, label: export.label, rule: export.rule.word, areOthers: export.share == .naming,
            rows: ended.rows, columns: export.columns.map { NameSpelling.name($0.name) },
            omitted: export.omitted.map { .init(about: NameSpelling.name($0.name), reason: $0.reason.rawValue) },
            csv: csv, json: json)
        if ended.rows > 0 { try page.add(table, columns: export.columns.map(\.label), first: ended.first) }
        return Written(
            table: table,
            files: [
                .init(path: csv, bytes: ended.csv.bytes, sha256: ended.csv.sha256),
                .init(path: json, bytes: ended.json.bytes, sha256: ended.json.sha256),
            ])
    }

    private func read(
        _ query: SQLStatement, into table: ExportedTable, on connection: any SQLConnection
    ) async throws {
        if let connection = connection as? any TextReading {
            try await connection.readTexts(query) { try table.write($0) }
        } else {
            try await connection.read(query) { try table.write($0) }
        }
    }

    // MARK: Files

    private func files(of subject: SealedSubject, _ page: ExportPage, _ manifest: inout ExportManifest) async throws {
        var names = ExportNames()
        for plan in prepared.plan.folders {
            let copied = try await FolderExport(context: context, folder: plan, subject: subject)
                .copy(to: folder, name: names.name(for: Self.listed(plan.name)))
            manifest.folders.append(copied.folder)
            manifest.files += [copied.list, copied.names].compactMap(\.self)
            try page.add(copied.folder, files: copied.first)
            let unresolved = try await FolderErasure(context: context, folder: plan).found(of: subject).unresolved
            if subject.isUnnamed(in: plan.name) {
                manifest.notExported.append(
                    .init(about: plan.name, reason: "The row that names the person's files here is gone."))
            }
            if unresolved > 0 {
                manifest.notExported.append(
                    .init(
                        about: plan.name, reason: "Addresses that do not match exactly one file here: \(unresolved)."))
            }
            guard copied.notOrdinary > 0 else { continue }
            manifest.notExported.append(
                .init(
                    about: plan.name,
                    reason: "Links and special files, which are not followed: \(copied.notOrdinary)."))
        }
    }

    /// A name with which no folder's list is also that of a system, which begins with `system.`.
    private static func listed(_ folder: String) -> String {
        folder.lowercased().hasPrefix("system.") ? "_" + folder : folder
    }

    // MARK: Systems

    private func systems(
        of subject: SealedSubject, _ page: ExportPage, _ manifest: inout ExportManifest
    ) async throws {
        var names = ExportNames()
        for plan in prepared.plan.systems {
            let export = SystemExport(context: context, system: plan, subject: subject)
            switch try await export.copy(to: folder, name: names.name(for: plan.name)) {
            case .omitted(let reason): manifest.notExported.append(.init(about: plan.name, reason: reason))
            case .copied(let written):
                let copied = written.result
                manifest.folders.append(copied.folder)
                manifest.files += [copied.list, written.index]
                try page.add(copied.folder, files: copied.first)
                for reason in Self.reasons(written) {
                    manifest.notExported.append(.init(about: plan.name, reason: reason))
                }
            }
        }
    }

    private static func reasons(_ written: SystemSink.Written) -> [String] {
        var reasons: [String] = []
        let (unread, withheld) = (written.unread, written.withheld)
        if unread > 0 {
            reasons.append(
                "\(unread) item\(unread == 1 ? "" : "s") could not be read: archived, encrypted with a key that "
                    + "Farewell may not use, too long, or listed without contents.")
        }
        if withheld.count > 0 {
            let names = withheld.names.sorted().map { Shown.line($0.text, limit: 80) }.joined(separator: ", ")
            reasons.append(
                "\(withheld.count) value\(withheld.count == 1 ? "" : "s") left out as secrets, or by the plan: "
                    + "\(names).")
        }
        return reasons
    }

    // MARK: Erasures

    /// The states of the subject's erasures; none where the database has no control store.
    private func erasures(of key: SQLValue) async throws -> [UUID: ErasureState] {
        let control = context.control
        let states = control.requests.states(subjectHash: context.subjectHash(key).rawValue)
        return try await context.database.withConnection { connection in
            guard try await control.hasInstallation.run(on: connection).ledger else { return [:] }
            return try await states.run(on: connection)
        }
    }

    /// Whether an erasure may have taken data before the export was complete.
    static func isMissingErased(before: [UUID: ErasureState], after: [UUID: ErasureState]) -> Bool {
        after.contains { id, state in
            switch state {
            case .requested, .grace, .cancelled: false
            case .fenced, .running, .verifying, .needsAttention: true
            case .done: before[id] != .done
            }
        }
    }

    // MARK: The manifest

    private func sign(_ manifest: ExportManifest) throws {
        let plain = try folder.file("manifest.json")
        try plain.write(Array(try CanonicalJSON.data(manifest)))
        _ = try plain.end()
        let signed = try folder.file("manifest.jws")
        try signed.write(try ExportSigner(context.keys).sign(manifest) + "\n")
        _ = try signed.end()
    }
}
