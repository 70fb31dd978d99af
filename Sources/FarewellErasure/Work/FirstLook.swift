// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Reads what a request must know of its subject: the records about it and then, in the same round trip, its data. Data
/// that an erasure deletes in between is missed by the count of completed ones, which acceptance compares.
struct FirstLook: Sendable {
    let engine: ErasureEngine
    let depth: SubjectResolver.Depth

    struct Question: Sendable, Hashable {
        let key: SQLValue
        let hash: String
        /// `nil` if the request has no idempotency key.
        let keyHash: String?
    }

    struct Answer: Sendable, Hashable {
        /// The number of the subject's completed erasures.
        let ended: Int
        /// The ticket that was handed out for the same idempotency key.
        let handed: IssuedTicket?
        /// The subject's erasures, newest first.
        let records: [ErasureRecord]
        /// The subject's data; `nil` if it needs further queries.
        let subject: SealedSubject?
    }

    private var requests: RequestStore { engine.control.requests }
    private var resolver: SubjectResolver { SubjectResolver(prepared: engine.prepared) }

    /// Answers to simultaneous requests. PostgreSQL: the same few statements for all of them.
    ///
    /// - Returns: An answer to each question, in their order.
    func answers(to questions: [Question]) async throws -> [Answer] {
        guard questions.count > 1, engine.database.dialect.hasArrays else {
            var answers: [Answer] = []
            for question in questions {
                answers.append(
                    try await answer(to: question, asking: resolver.firstQuestions(about: [question.key], depth)))
            }
            return answers
        }
        return try await joint(questions)
    }

    /// The answer without the subject's data.
    func records(about question: Question) async throws -> Answer { try await answer(to: question, asking: nil) }

    private func answer(to question: Question, asking subject: SubjectQuestions?) async throws -> Answer {
        var asked = StatementParts()
        let ended = asked.add(requests.countDone(subjectHash: question.hash))
        let handed = question.keyHash.map { asked.add(requests.ticket(keyHash: $0)) }
        let records = asked.add(requests.find(subjectHash: question.hash))
        let data = asked.add(subject?.statements ?? [])
        let results = try await engine.database.pipeline(asked.statements)
        return Answer(
            ended: try ended.answer(in: results), handed: try handed?.answer(in: results),
            records: try records.answer(in: results),
            subject: subject?.found(in: data.answers(in: results))[question.key])
    }

    private func joint(_ questions: [Question]) async throws -> [Answer] {
        let hashes = Array(Set(questions.map(\.hash)))
        var asked = StatementParts()
        let ended = asked.add(requests.countDone(subjectHashes: hashes))
        let handed = asked.add(requests.issued(keyHashes: questions.compactMap(\.keyHash)))
        let records = asked.add(requests.find(subjectHashes: hashes))
        let subjects = resolver.firstQuestions(about: Array(Set(questions.map(\.key))), depth)
        let data = asked.add(subjects?.statements ?? [])
        let results = try await engine.database.pipeline(asked.statements)
        let counts = try ended.answer(in: results)
        let tickets = try handed.answer(in: results)
        let known = Dictionary(grouping: try records.answer(in: results), by: \.subjectHash)
        let answers = data.answers(in: results)
        // The limit is for all subjects together: each of them is then read alone.
        let isComplete = answers.allSatisfy { $0.rows.count < SubjectResolver.bound }
        let found = isComplete ? subjects?.found(in: answers) ?? [:] : [:]
        return questions.map { question in
            Answer(
                ended: counts[question.hash, default: 0], handed: question.keyHash.flatMap { tickets[$0] },
                records: known[question.hash] ?? [], subject: found[question.key])
        }
    }
}
