// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

extension ErasureEngine {
    /// Counts what an erasure of this subject would do, in a transaction that can write nothing.
    ///
    /// - Throws: `subject.unknown` if the subject has no data; `subject.malformed`.
    public func preview(_ subject: String) async throws -> Preview {
        let resolver = SubjectResolver(prepared: prepared)
        let key = try resolver.key(subject)
        let search = BlockerSearch(prepared: prepared)
        let (found, blockers) = try await database.readOnly { connection in
            let found = try await resolver.resolve([key], on: connection)[key]
            return (found, try await search.blockers(of: found.map { [$0.key.value] } ?? [], on: connection))
        }
        guard let found else {
            throw FarewellError(
                "subject.unknown", .yoursToFix,
                "No data of this subject was found: no row of \(prepared.plan.subject.table) has the key, "
                    + "and no link refers to it.",
                remedy: "Check the key and the database.")
        }
        let checks = CheckSearch(prepared: prepared)
        // A refused statement would end the transaction above.
        let refused = try await database.withConnection { connection in
            try await checks.blockers(of: found.key.value, on: connection)
        }
        let (elsewhere, shared, unreachable) = try await systems(found)
        let uncounted = prepared.plan.systems.map(\.name).filter { name in !elsewhere.contains { $0.place == name } }
        var unsearched = SearchOutcome()
        unsearched.notSearched = DeepScan(schema: prepared.schema, plan: prepared.plan)
            .limits(for: SearchedSubject(found))
        let (files, unresolved) = try await folders(found)
        let unproved = try await unproved(found)
        let unnamed =
            prepared.plan.folders.filter { found.isUnnamed(in: $0.name) }.map(\.name)
            + prepared.plan.systems.filter { found.isUnnamed(in: $0.step) }.map(\.name)
        return Preview(
            places: elsewhere + files + tables(found), blockers: blockers + refused, uncounted: uncounted,
            unresolved: unresolved, unnamed: unnamed, shared: shared, unreachable: unreachable + unproved,
            notSearched: unsearched.inReceipt.notSearched, unknownTables: prepared.unsearched,
            copyingViews: prepared.copyingViews)
    }

    /// The number of a subject's rows that would stay if only their own row and account were deleted: rows to be erased
    /// that the database's own cascade does not delete.
    package func rowsThatStay(of subject: String) async throws -> Int {
        let resolver = SubjectResolver(prepared: prepared)
        guard let key = try? resolver.key(subject) else { return 0 }
        let found = try await database.readOnly { try await resolver.resolve([key], on: $0)[key] }
        let graph = prepared.program.graph
        let cascaded = graph.cascaded(with: AccountTables(SchemaMap(prepared.schema))?.users)
        return graph.nodes.filter { $0.rule.erasesRows && !cascaded.contains($0.index) }
            .map { found?.counts[$0.place] ?? 0 }.reduce(0, +)
    }

    /// The systems' counts. A system that cannot count, or in which the subject has no name, proves its place instead:
    /// an erasure would meet the same fault.
    private func systems(
        _ subject: SealedSubject
    ) async throws -> ([Preview.Place], shared: [String: Int], [Preview.Unreachable]) {
        let context = context(ErasureOptions())
        var places: [Preview.Place] = []
        var shared: [String: Int] = [:]
        var unreachable: [Preview.Unreachable] = []
        for system in prepared.plan.systems {
            let naming = SystemNames(keys: keys, dialect: prepared.schema.dialect)
            guard let connector = connectors[system.name] else { continue }
            let all = try? naming.names(in: system, of: subject)
            var names = all
            if let all {
                let own = try await SharedNames.own(all, in: system, of: subject, context)
                if own.count < all.count { shared[system.name] = all.count - own.count }
                names = own
            }
            var request = ConnectorRequest(key: "preview", names: names ?? [])
            do {
                if let owned = system.owned {
                    request.items = try await OwnedItemReading(database: database, owned: owned).names(
                        of: subject.key.text)
                }
                var count: Int?
                if names?.isEmpty == false, connector.declaration.abilities.contains(.count) {
                    let records = PlaceRecords(context: context, system: system)
                    let record = { (try? await records.record(of: subject, in: nil)) ?? .nothing }
                    count = try await request.proving(record) { try await connector.count($0) }
                } else {
                    _ = try await connector.prove()
                    if names?.isEmpty == true, !subject.isUnnamed(in: system.step) { count = 0 }
                }
                guard let count else { continue }
                places.append(.init(place: system.name, rule: .erase, count: ConnectorDriver.plausible(count)))
            } catch {
                let fault = (error as? ConnectorFault ?? .passing(system.name, "its connector failed unexpectedly"))
                    .error
                unreachable.append(
                    .init(system: system.name, message: fault.message, remedy: fault.remedyBeforehand))
            }
        }
        return (places, shared, unreachable)
    }

    private func tables(_ subject: SealedSubject) -> [Preview.Place] {
        let today = CalendarDay(environment.now())
        let planned = Dictionary(prepared.plan.tables.map { ($0.table, $0) }) { first, _ in first }
        return prepared.program.graph.nodes.flatMap { node in
            let name = node.place
            var until: CalendarDay?
            if let retention = node.rule.retention {
                until = subject.retainedUntil[name] ?? today.adding(retention.period)
            }
            var own = Preview.Place(
                place: name, rule: node.rule, count: subject.counts[name] ?? 0, until: until,
                isOver: until.map { $0 < today } ?? false)
            (own.label, own.labels) = (planned[node.table.name]?.label, planned[node.table.name]?.labels ?? [:])
            if subject.retainedUntil[name] == nil { own.unreadStart = node.rule.retention?.start }
            guard let links = subject.counts[node.linkPlace] else { return [own] }
            var others = Preview.Place(place: name, rule: .anonymise, count: links, isOthers: true)
            (others.label, others.labels) = (own.label, own.labels)
            return [own, others]
        }.sorted { $0.place < $1.place }
    }

    /// The folders of which nothing shows that they are the right places: an erasure would stop there.
    private func unproved(_ subject: SealedSubject) async throws -> [Preview.Unreachable] {
        var found: [Preview.Unreachable] = []
        for folder in prepared.plan.folders {
            do {
                try await FolderProof(context: context(ErasureOptions()), folder: folder).require(for: subject, in: nil)
            } catch let error as FarewellError where error.code == "folder.unproved" {
                found.append(.init(system: folder.name, message: error.message, remedy: error.remedyBeforehand))
            }
        }
        return found
    }

    private func folders(_ subject: SealedSubject) async throws -> ([Preview.Place], unresolved: [String: Int]) {
        let context = context(ErasureOptions())
        var places: [Preview.Place] = []
        var unresolved: [String: Int] = [:]
        for folder in prepared.plan.folders {
            let (count, names) = try await FolderErasure(context: context, folder: folder).found(of: subject)
            places.append(.init(place: folder.name, rule: .erase, count: count.files, bytes: count.bytes))
            if names > 0 { unresolved[folder.name] = names }
        }
        return (places, unresolved)
    }
}

extension FarewellError {
    /// The remedy while no erasure waits for a release.
    package var remedyBeforehand: String? {
        remedy?.replacing("; then release the erasure", with: "").replacing(", then release the erasure", with: "")
    }
}

extension SQLDatabase {
    /// Runs `body` on one state of the database, where the database itself refuses every write.
    func readOnly<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        try await withConnection { connection in
            guard !dialect.hasReadOnlyTransactions else {
                try await connection.run(.beginningReadOnly)
                let value = try await body(connection)
                try await connection.run("ROLLBACK")
                return value
            }
            try await connection.run("PRAGMA query_only = ON")
            do {
                try await connection.run("BEGIN")
                let value = try await body(connection)
                try await connection.run("ROLLBACK")
                try await connection.run("PRAGMA query_only = OFF")
                return value
            } catch {
                // In a task of its own: a cancelled one could not undo it, and the connection is lent again.
                await Task { _ = try? await connection.run("PRAGMA query_only = OFF") }.value
                throw error
            }
        }
    }
}

extension SQLStatement {
    /// PostgreSQL: begins a transaction that sees one state of the database and can write nothing.
    static let beginningReadOnly = SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    /// Names the state that a transaction sees, for another one (PostgreSQL).
    static let sharingState = SQLStatement("SELECT pg_catalog.pg_export_snapshot()")
}
