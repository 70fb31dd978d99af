// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Which of several processes renews a session: decided under the lock, by the record alone.
enum RenewalClaim: Sendable, Equatable {
    /// This process: the record, with the name of the renewal, is stored before the request is sent.
    case claimed(SessionRecord)
    /// Another process has renewed it, or a user has signed in or out, since this process read it.
    case newer
    /// Another process is renewing it.
    case wait

    /// Seconds that other processes wait for the one that asked. After that they ask too, under the same nonce, which
    /// gets the same answer.
    static let lease: TimeInterval = 15
    /// A lease that seems longer than this was taken before the clock was turned back. It is twice as long as any real
    /// lease: clocks are read a moment apart, and a process that took a fresh lease for an old one would ask a second
    /// time. That request might reach the server after two renewals, like a spent token.
    private static let longest = 2 * lease

    /// - Parameters:
    ///   - held: The session as this process knows it.
    ///   - nonce: The name of a fresh renewal. An earlier one that was never answered keeps its own.
    ///   - asker: This process.
    ///   - isAlive: Whether a process of that number may still be there.
    static func decide(
        _ record: SessionRecord?, held: DeviceSession, now: Date, nonce: String, asker: Int32,
        isAlive: (Int32) -> Bool
    ) -> RenewalClaim {
        guard var record, let session = record.session, session.id == held.id, session.accessToken == held.accessToken
        else { return .newer }
        if let until = record.renewal?.until, until > now, until.timeIntervalSince(now) <= longest,
            record.renewal?.asker.map(isAlive) != false
        {
            return .wait
        }
        record.renewal = .init(
            nonce: record.renewal?.nonce ?? nonce, until: now.addingTimeInterval(lease), asker: asker)
        record.generation += 1
        return .claimed(record)
    }
}
