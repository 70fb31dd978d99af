// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A bounded memory of revocations that never accepts for lack of room.
///
/// A revocation is forgotten when the last token it can concern has expired. If they exceed the capacity, a single
/// instant per issuer replaces the oldest: all tokens issued until then are refused. That costs those users one
/// refresh, and accepts no revoked token.
struct RevocationMemory: Sendable {
    private struct Session: Hashable {
        let issuer: String
        let id: String
    }

    private struct Mark {
        let revokedAt: Date
        /// Tokens issued until then are revoked.
        let until: Date
    }

    private let capacity: Int
    private let retention: TimeInterval
    private var sessions: [Session: Mark] = [:]
    private var subjects: [IssuedSubject: Mark] = [:]
    private var floors: [String: Date] = [:]
    private var prunedAt = Date.distantPast

    init(capacity: Int, retention: TimeInterval) {
        self.capacity = max(1, capacity)
        self.retention = retention
    }

    var count: Int { sessions.count + subjects.count }

    mutating func note(_ tokens: RevokedTokens, at now: Date) {
        switch tokens.scope {
        case .session(let id):
            sessions[Session(issuer: tokens.issuer, id: id.lowercased())] = Mark(
                revokedAt: tokens.revokedAt, until: .distantFuture)
        case .subject(let subject, let before):
            let person = IssuedSubject(issuer: tokens.issuer, subject: subject)
            let until = max(before ?? .distantFuture, subjects[person]?.until ?? .distantPast)
            subjects[person] = Mark(revokedAt: max(tokens.revokedAt, before ?? .distantPast), until: until)
        }
        if now.timeIntervalSince(prunedAt) > 60 || count > capacity { prune(at: now) }
        if count > capacity { giveWay() }
    }

    func isRevoked(_ token: VerifiedToken) -> Bool {
        // Asked at every request, and most of the time there is nothing to look through.
        if !sessions.isEmpty, let id = token.sessionID,
            sessions[Session(issuer: token.person.issuer, id: id.lowercased())] != nil
        {
            return true
        }
        if subjects.isEmpty, floors.isEmpty { return false }
        let until = max(
            subjects[token.person]?.until ?? .distantPast, floors[token.person.issuer] ?? .distantPast)
        return token.issuedAt <= until
    }

    private mutating func prune(at now: Date) {
        prunedAt = now
        let oldest = now.addingTimeInterval(-retention)
        sessions = sessions.filter { $0.value.revokedAt > oldest }
        subjects = subjects.filter { $0.value.revokedAt > oldest }
    }

    /// The oldest eighth becomes a floor.
    private mutating func giveWay() {
        let dates = (sessions.values.map(\.revokedAt) + subjects.values.map(\.revokedAt)).sorted()
        let limit = dates[min(dates.count - 1, max(count - capacity, capacity / 8))]
        for (session, mark) in sessions where mark.revokedAt <= limit {
            raiseFloor(of: session.issuer, to: mark.revokedAt)
            sessions[session] = nil
        }
        for (person, mark) in subjects where mark.revokedAt <= limit {
            raiseFloor(of: person.issuer, to: mark.revokedAt)
            subjects[person] = nil
        }
    }

    private mutating func raiseFloor(of issuer: String, to date: Date) {
        floors[issuer] = max(floors[issuer] ?? .distantPast, date)
    }
}
