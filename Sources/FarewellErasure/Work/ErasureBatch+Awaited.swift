// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

extension ErasureBatch {
    /// Accepts and erases in one transaction, in which the subjects' sessions also end.
    ///
    /// - Returns: An answer for each that is done; `nil` for the others, of which nothing was changed or recorded.
    func erase(_ awaited: [AwaitedErasure]) async -> [AwaitedErasure.Answer?] {
        var seen: Set<SubjectHash> = []
        let group = awaited.filter { seen.insert($0.hash).inserted }
            .prefix(rules.batch ?? context.prepared.groupSize(sideBySide: true))
        let answers = await erased(Array(group))
        seen = []
        return awaited.map { seen.insert($0.hash).inserted ? answers[$0.hash.rawValue] : nil }
    }

    /// The answers by subject: of all of them or none.
    private func erased(_ group: [AwaitedErasure]) async -> [String: AwaitedErasure.Answer] {
        let subjects = group.map { StoredValue($0.key).text }
        guard let statements = await closing.closing(subjects) else { return [:] }
        let accounts = AwaitedErasures(context: context, rules: rules, awaited: group, closing: statements)
        let endings: [ErasureCompletion.Ending]
        do {
            endings = try await SingleTransaction.admitted(accounts, context: context)?.erase() ?? []
        } catch {
            // It may have been committed. To publish what did not end is harmless.
            await Task { await closing.closed(subjects) }.value
            return [:]
        }
        guard !endings.isEmpty else { return [:] }
        // The erasures are committed: these steps follow even if the caller's task is cancelled.
        return await Task { await answers(endings, accounts) }.value
    }

    /// The answers to the requests that a transaction has ended, by subject: once the ends of the sessions are
    /// published, and the accounts are removed.
    private func answers(
        _ endings: [ErasureCompletion.Ending], _ accounts: AwaitedErasures
    ) async -> [String: AwaitedErasure.Answer] {
        let gone = endings.map(\.erasure.subject.key.text)
        let ids = endings.map(\.erasure.id)
        async let publishing: Void = closing.closed(gone)
        async let announcing: Void = announce([], of: ids)
        let isRemoved = await closing.remove(gone)
        _ = await (publishing, announcing)
        var answers: [String: AwaitedErasure.Answer] = [:]
        for ending in endings {
            guard let request = accounts.request(of: ending) else { continue }
            let handed = HandedErasure(ending.erasure, accounts.promise(ending))
            handed.record(ending)
            handed.end(accountRemoved: isRemoved)
            let ticket = request.ticket(for: ending.erasure.id, context.keys)
            answers[ending.erasure.record.subjectHash] = .init(handed: handed, ticket: ticket)
        }
        return answers
    }
}
