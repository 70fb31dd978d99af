// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A receiver of events.
public struct EventEndpoint: Sendable, Hashable {
    /// Its name in the outbox; another name is another endpoint.
    public var name: String
    public var kinds: [ErasureEventKind]
    /// Whether its events must name the subject.
    public var needsSubject: Bool
    /// Whether it accepts an event whose subject is no longer known; otherwise that is a dead letter.
    public var mayLackSubject: Bool
    /// How often an event is tried before it is a dead letter; nil for as long as it takes.
    public var attempts: Int?
    /// Whether other receivers get an event only after this endpoint has taken it: its work is part of the event's
    /// meaning.
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
