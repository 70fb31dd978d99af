// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// One request for an erasure: the values beside the subject.
public struct ErasureRequest: Sendable, Hashable {
    /// The key under which this request may be repeated and stays one (draft-ietf-httpapi-idempotency-key-header).
    public var idempotencyKey: String?
    /// The ticket the client made; `nil` lets the server make one.
    public var ticket: ErasureTicket?
    /// The lifetime in seconds of the request's token, if another issuer made it: for so long the subject may continue
    /// to write.
    package var tokenLife: Int?
    /// The time, by the store's clock, before the caller was identified. An erasure of the subject that ends later
    /// answers the request.
    package var askedAt: Date?
    /// When the request's token was issued, if another issuer made it. An erasure of the subject that ended later
    /// answers the request; its second look covers data that is written with the token since.
    package var tokenIssuedAt: Date?
    /// When the caller's session of our own authority began. It ends with an erasure's transaction, which may be
    /// committed after the caller was identified, and have noted its end before.
    package var sessionBeganAt: Date?
    /// The proof of the subject's identity that the acceptance uses up; `nil` if none is needed.
    package var proof: StepUp?
    /// Whether the caller waits for the end; such an erasure may pass the queue.
    package var isAwaited = false
    /// Its number among the requests on their way to acceptance (`ArrivingRequests`); `nil` if none waits for it.
    package var arrival: Int?

    public init(idempotencyKey: String? = nil, ticket: ErasureTicket? = nil) {
        self.idempotencyKey = idempotencyKey
        self.ticket = ticket
    }

    /// The hash of the values that must be the same in a repeated request under the same key.
    var bodyHash: String { SHA256.hash(data: Data((ticket?.text ?? "").utf8)).hexadecimal }

    func keyHash(of subject: SubjectHash) -> String? {
        idempotencyKey.map { SHA256.hash(data: Data("\(subject.rawValue)/\($0)".utf8)).hexadecimal }
    }

    /// Whether an erasure that has ended answers this request: because it ended while the request was under way, since
    /// the token was issued, or with the caller's session. Rows that it keeps, such as entries of the feed of
    /// revocations, would otherwise count as data of the subject, and a second erasure would begin.
    ///
    /// - Parameter endedAt: When it noted its end.
    func isMet(byErasureOf endedAt: Date) -> Bool {
        if [askedAt, tokenIssuedAt].contains(where: { $0.map { endedAt >= $0 } ?? false }) { return true }
        guard let askedAt, let sessionBeganAt else { return false }
        return endedAt >= sessionBeganAt && askedAt.timeIntervalSince(endedAt) < Self.longestCommit
    }

    /// A bound of the time from an erasure's noted end to its commit. An account that is made again under the same
    /// identifier may have a session that seems older than that end, if the clocks differ: but only for this time.
    private static let longestCommit: TimeInterval = 60
}
