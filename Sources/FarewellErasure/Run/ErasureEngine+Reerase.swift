// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

extension ErasureEngine {
    /// Looks up all rows of the subject's table in the ledger. Changes nothing.
    ///
    /// It reads the ledger's file in the state directory and the database's own copy: a restore takes back one of them,
    /// never the other.
    public func findReturned(report: (_ examined: Int) async -> Void = { _ in }) async throws -> ReturnedSubjects {
        let ledger = try await ledger()
        var returned = ReturnedSubjects(certain: [], doubtful: [], examined: 0)
        returned.known = ledger.erasures
        guard ledger.count > 0 else { return returned }
        let resolver = SubjectResolver(prepared: prepared)
        let holder = KeyHolder(prepared: prepared)
        var last: SQLValue?
        while true {
            let page = try await page(after: last)
            guard let end = page.last else { return returned }
            // Earlier releases entered the spelling of the database.
            let suspects = page.compactMap { stored in
                [resolver.known(stored), stored].first { ledger.contains(hash($0)) }
            }
            for (key, subject) in try await database.readOnly({ try await resolve(suspects, on: $0) }) {
                let match = ledger.match(hash(key), incarnation: context(ErasureOptions()).incarnation(of: subject))
                if case .returned(let entry) = match, try await isBack(key, subject, entry, holder) {
                    returned.certain.append(key.text ?? "")
                    continue
                }
                switch match {
                case .returned, .sameKey:
                    if try await isThere(key) { returned.doubtful.append(key.text ?? "") }
                case .unconfirmed:
                    if try await isThere(key) { returned.unconfirmed.append(key.text ?? "") }
                case .unknown: break
                }
            }
            returned.examined += page.count
            last = end
            await report(returned.examined)
        }
    }

    /// Whether a row with an erased subject's key and identifiers is the erased one.
    ///
    /// Without an identifier two people with one key are alike. If the key can be given again, a person who has signed
    /// up again is also like their erased self. The database then decides: as long as it records that very erasure, no
    /// restore has brought the row back; one that forgot the erasure has brought back what was there before.
    private func isBack(
        _ key: SQLValue, _ subject: SealedSubject, _ entry: LedgerEntry, _ holder: KeyHolder
    ) async throws -> Bool {
        guard !subject.identifiers.isEmpty || holder.isUnique(key) else { return false }
        guard holder.isGivenAgain(key) else { return true }
        let records = try await control.requests.find(subjectHash: entry.subject.rawValue).run(in: database)
        // The two copies round the time.
        let since = entry.erasedAt.addingTimeInterval(-1)
        return !records.contains { record in
            record.state == .done && record.finishedAt.map { $0 >= since } ?? false
        }
    }

    /// Whether anything is there that an erasure would change. Where the subject's own row is only made
    /// anonymous it stays, and its key with it.
    private func isThere(_ key: SQLValue) async throws -> Bool {
        guard prepared.plan[prepared.plan.subject.table]?.rule.erasesRows != true else { return true }
        let statement = prepared.program.readBack.bound(RowValues(subjects: [key]), dialect: database.dialect)
        return !ReadBack.leftovers(try await database.run(statement)).isEmpty
    }

    private func hash(_ key: SQLValue) -> SubjectHash {
        keys.subjectHash(table: prepared.plan.subject.table, key: key.asSubject)
    }

    private func resolve(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> [SQLValue: SealedSubject]
    {
        guard !keys.isEmpty else { return [:] }
        return try await SubjectResolver(prepared: prepared).resolve(keys, on: connection)
    }

    /// Entries in the database were committed; entries in the file alone may not have been.
    private func ledger() async throws -> Ledger {
        let rows = try await control.ledgerEntries.run(in: database)
        var ledger = try ledger.read()
        for row in rows {
            guard let entry = row.entry else {
                // The file decides. The doctor counts the row as conflicting.
                environment.log.warning("A row of the database's ledger cannot be read; the ledger's file decides.")
                continue
            }
            ledger.add(entry, .former)
        }
        return ledger
    }

    private static var pageSize: Int { 5_000 }

    private func page(after last: SQLValue?) async throws -> [SQLValue] {
        let statement = prepared.program.keys(after: last, limit: Self.pageSize)
        return try await database.run(statement).rows.compactMap(\.first)
    }
}
