// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

extension ErasureEngine {
    /// Searches for remaining data of a subject now, whether or not it was ever erased.
    ///
    /// - Parameters:
    ///   - identifiers: Other identifiers of the subject, such as a former e-mail address. They are searched for and
    ///     appear nowhere.
    ///   - extent: The extent of the search for identifiers. If none is long enough for a search, the scan's extent is
    ///     `none`.
    public func verify(
        _ subject: String, identifiers: [String] = [], extent: DeepScanExtent,
        report: (_ done: Int, _ of: Int) async -> Void = { _, _ in }
    ) async throws -> SubjectVerification {
        let resolver = SubjectResolver(prepared: prepared)
        let key = try resolver.key(subject)
        let found = try await database.readOnly { try await resolver.resolve([key], on: $0)[key] }
        let sealed =
            found
            ?? SealedSubject(
                key: StoredValue(key), identifiers: [], captured: [:], isCaptureBounded: false, retainedUntil: [:],
                files: [:], incarnation: "", counts: [:])
        var left = sealed.counts.filter { place, rows in rows > 0 && isErased(place) }
        var unread: [String] = []
        var unproved: [String: String] = [:]
        for folder in prepared.plan.folders {
            if case .column = folder.location, found == nil || sealed.isUnnamed(in: folder.name) {
                unread.append(folder.name)
                continue
            }
            let files = try await FolderEraser(root: folder.root).verify(FolderErasure.target(folder, sealed)).files
            guard files == 0 else {
                left[folder.name] = files
                continue
            }
            do {
                try await FolderProof(context: context(ErasureOptions()), folder: folder).require(for: sealed, in: nil)
            } catch let error as FarewellError where error.code == "folder.unproved" {
                unproved[folder.name] = error.message
            }
        }
        let looked = prepared.plan.folders.count - unread.count - unproved.count
        let hasRows = sealed.counts.values.contains { $0 > 0 }
        var verification = SubjectVerification(
            left: left, places: prepared.program.graph.nodes.count + looked, hasRows: hasRows,
            unproved: unproved, unread: unread, unknownTables: prepared.unsearched,
            deepScan: try await search(for: sealed, identifiers, extent, report))
        if verification.deepScan.extent == .none { verification.copyingViews = prepared.copyingViews }
        for system in prepared.plan.systems { await read(system, sealed, &verification) }
        return verification
    }

    /// Searches all columns for the subject's names, without those that the plan itself has put in their place.
    private func search(
        for subject: SealedSubject, _ identifiers: [String], _ extent: DeepScanExtent,
        _ report: (_ done: Int, _ of: Int) async -> Void
    ) async throws -> ReceiptVerification.DeepScan {
        guard extent != .none else { return .none }
        let written = PlanWrittenNames(plan: prepared.plan, schema: prepared.schema)
        let own = try await database.readOnly { try await written.removed(from: subject.identifiers, on: $0) }
        var searched = SearchedSubject(
            key: subject.key.text, identifiers: own + identifiers, others: subject.others ?? [])
        searched.isForgotten = (own + identifiers).isEmpty && !prepared.plan.subject.identifiers.isEmpty
        guard !searched.isNameless else { return .none }
        let scan = DeepScan(schema: prepared.schema, plan: prepared.plan)
        return try await scan.run(for: [searched], extent: extent, on: database, report: report)[0].inReceipt
    }

    private func read(_ system: SystemPlan, _ subject: SealedSubject, _ found: inout SubjectVerification) async {
        guard let connector = connectors[system.name] else { return }
        let naming = SystemNames(keys: keys, dialect: prepared.schema.dialect)
        guard connector.declaration.abilities.contains(.verify),
            let names = try? naming.names(in: system, of: subject), !names.isEmpty
        else { return found.unread.append(system.name) }
        do {
            var request = ConnectorRequest(key: "verify", names: names)
            if let owned = system.owned {
                request.items = try await OwnedItemReading(database: database, owned: owned).names(of: subject.key.text)
            }
            let records = PlaceRecords(context: context(ErasureOptions()), system: system)
            // A role that may only look may lack the right to read them.
            let record = { (try? await records.record(of: subject, in: nil)) ?? .nothing }
            switch try await request.proving(record, { try await connector.verify($0) }) {
            case .gone: found.places += 1
            case .left(let count): (found.left[system.name], found.places) = (count, found.places + 1)
            case .cannotTell: found.unread.append(system.name)
            }
        } catch let fault as ConnectorFault {
            found.unanswered[system.name] = fault.error.message
        } catch {
            found.unanswered[system.name] = "Its connector failed unexpectedly."
        }
    }

    private func isErased(_ place: String) -> Bool {
        prepared.program.graph.nodes.contains { $0.place == place && $0.rule.erasesRows || $0.linkPlace == place }
    }

    /// Checks the audit log from its first entry to its last.
    ///
    /// - Returns: The number of entries.
    /// - Throws: `audit.broken` naming the first entry that is not as it was written.
    public func verifyAudit() async throws -> Int {
        switch AuditChain.verify(try await AuditLog(control: control).entries(on: database)) {
        case .intact(let entries, _): return entries
        case .broken(let damage):
            throw FarewellError(
                "audit.broken", .yoursToFix, "The audit log was changed: \(damage)",
                remedy: "Compare it with a back-up or an export.")
        }
    }
}
