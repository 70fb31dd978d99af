// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Who renews a session, of all processes that would: decided under the lock, by the record alone.
enum RenewalClaim: Sendable, Equatable {
    /// This process: the record, with the name of the renewal, is stored before the request is sent.
    case claimed(SessionRecord)
    /// Somebody has renewed it, or signed in or out, since this process looked.
    case newer
    /// Another process is at it.
    case wait

    /// Seconds that others wait for whoever asked. After that they ask themselves, under the same nonce, which gets the
    /// same answer: being impatient does no harm.
    static let lease: TimeInterval = 15

    /// - Parameters:
    ///   - held: The session as this process knows it.
    ///   - nonce: The name of a fresh renewal. An earlier one that was never answered keeps its own.
    static func decide(_ record: SessionRecord?, held: DeviceSession, now: Date, nonce: String) -> RenewalClaim {
        guard var record, let session = record.session, session.id == held.id, session.accessToken == held.accessToken
        else { return .newer }
        if let until = record.renewal?.until, until > now, until.timeIntervalSince(now) <= lease { return .wait }
        record.renewal = .init(nonce: record.renewal?.nonce ?? nonce, until: now.addingTimeInterval(lease))
        record.generation += 1
        return .claimed(record)
    }
}
