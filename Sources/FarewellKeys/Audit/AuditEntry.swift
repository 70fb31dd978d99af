// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// One line of the audit log: the actor, the act and the run, chained to the line before.
///
/// It holds nothing personal: the subject is a keyed hash, and details are counts, codes and names of places.
package struct AuditEntry: Sendable, Hashable {
    /// 1 for the first entry, then one more each.
    package let sequence: Int
    package let at: Date
    /// The actor: `command`, `worker`, `scheduler`, …
    package let actor: String
    /// What: `erasure.requested`, `step.finished`, `receipt.issued`, …
    package let act: String
    package let run: UUID?
    package let subject: SubjectHash?
    package let details: [String: String]
    /// The hash of the entry before; `AuditChain.beginning` for the first.
    package let previous: String
    /// SHA-256 of everything above, 64 hexadecimal digits.
    package let hash: String

    /// Takes values as they were stored. Says nothing about whether the hash fits: `AuditChain` does.
    package init(
        sequence: Int, at: Date, actor: String, act: String, run: UUID?, subject: SubjectHash?,
        details: [String: String], previous: String, hash: String
    ) {
        self.sequence = sequence
        self.at = at
        self.actor = actor
        self.act = act
        self.run = run
        self.subject = subject
        self.details = details
        self.previous = previous
        self.hash = hash
    }

    /// The hash that fits the other fields: SHA-256 of `farewell/audit/v1`, a line feed and the canonical JSON
    /// of the entry without `hash`.
    package func fittingHash() throws -> String {
        var bytes = Data("farewell/audit/v1\n".utf8)
        bytes.append(try CanonicalJSON.data(Unhashed(entry: self)))
        return SHA256.hash(data: bytes).hexadecimal
    }

    private struct Unhashed: Encodable {
        let entry: AuditEntry
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try entry.encode(to: &members, hash: nil)
        }
    }
}

extension AuditEntry: Codable {
    private enum CodingKeys: String, CodingKey {
        case sequence, at, actor, act, run, subject, details, previous, hash
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sequence: try members.decode(Int.self, forKey: .sequence),
            at: try members.decodeTime(forKey: .at),
            actor: try members.decode(String.self, forKey: .actor),
            act: try members.decode(String.self, forKey: .act),
            run: members.contains(.run) ? try members.decodeIdentifier(forKey: .run) : nil,
            subject: try members.decodeIfPresent(SubjectHash.self, forKey: .subject),
            details: try members.decode([String: String].self, forKey: .details),
            previous: try members.decode(String.self, forKey: .previous),
            hash: try members.decode(String.self, forKey: .hash))
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try encode(to: &members, hash: hash)
    }

    /// In the order of the canonical form, which then need not sort.
    private func encode(to members: inout KeyedEncodingContainer<CodingKeys>, hash: String?) throws {
        try members.encode(act, forKey: .act)
        try members.encode(actor, forKey: .actor)
        try members.encode(time: at, forKey: .at)
        try members.encode(details, forKey: .details)
        try members.encodeIfPresent(hash, forKey: .hash)
        try members.encode(previous, forKey: .previous)
        if let run { try members.encode(identifier: run, forKey: .run) }
        try members.encode(sequence, forKey: .sequence)
        try members.encodeIfPresent(subject, forKey: .subject)
    }
}
