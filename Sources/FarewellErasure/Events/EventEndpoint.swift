// SPDX-License-Identifier: Apache-2.0

import Foundation

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
