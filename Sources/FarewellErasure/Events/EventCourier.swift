// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An event as it is carried to somebody else.
public struct OutgoingEvent: Sendable, Hashable {
    /// The same whenever it is delivered again, and another when the like of it happens again: who receives it may
    /// count on that.
    public var id: String
    public var kind: ErasureEventKind
    public var erasure: UUID
    public var happenedAt: Date
    /// The keyed hash of the subject, which is in the receipt as well.
    public var subjectHash: String
    /// The subject's key: only for endpoints that must know whom, and only as long as it is still kept.
    public var subject: String?
}

/// Somebody who wants to know.
public struct EventEndpoint: Sendable, Hashable {
    /// Its name in the outbox; another name is another endpoint.
    public var name: String
    public var kinds: [ErasureEventKind]
    /// Whether it has to be told whom the event is about.
    public var needsSubject: Bool
    /// Whether it takes an event as well of whom nobody can say any longer who it is; else that is a dead letter.
    public var mayLackSubject: Bool
    /// How often an event is tried before it is a dead letter; nil for as long as it takes.
    public var attempts: Int?
    /// Whether nobody else is told of an event before this endpoint has taken it: what it does is part of what the
    /// others are told.
    public var isFirst: Bool

    /// About a day.
    public static let usualAttempts = 30

    public init(
        name: String, kinds: [ErasureEventKind], needsSubject: Bool = false, mayLackSubject: Bool = false,
        attempts: Int? = Self.usualAttempts, isFirst: Bool = false
    ) {
        self.name = name
        self.kinds = kinds
        self.needsSubject = needsSubject
        self.mayLackSubject = mayLackSubject
        self.attempts = attempts
        self.isFirst = isFirst
    }
}

/// Carries events to others. Called as often as it takes, with the same event and the same identifier.
public protocol EventCourier: Sendable {
    /// Who is told of what.
    var endpoints: [EventEndpoint] { get }

    /// Delivers one event to the endpoint of this name. Throws `DeliveryFailure` when it was not taken.
    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure)
}

/// Why an event was not taken.
public struct DeliveryFailure: Error, Sendable, Hashable {
    /// In a few words, without anything that was sent or answered.
    public var reason: String
    /// Whether another try can help.
    public var isFinal: Bool
    /// After how many seconds the receiver wants to be asked again.
    public var retryAfter: Double?

    public init(_ reason: String, isFinal: Bool = false, retryAfter: Double? = nil) {
        self.reason = reason
        self.isFinal = isFinal
        self.retryAfter = retryAfter
    }
}
