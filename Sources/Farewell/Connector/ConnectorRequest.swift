// SPDX-License-Identifier: Apache-2.0

/// What a connector is asked to do, for one person.
public struct ConnectorRequest: Sendable, Hashable {
    /// The same at every try, and another for every step of every run: what an outside system may know a repeated
    /// call by (an idempotency key).
    public var key: String
    /// What the system calls this person: one name or several, none of them empty.
    public var names: [String]
    /// What else of the system's items is the subject's, by the names that the system gives them: what the app's
    /// database said just before this call (`owned` of a system).
    public var items: [String] = []
    /// Where the last call stopped; `nil` at the first.
    public var cursor: String?
    /// What the system has told since by calling back; `nil` until it has, and for systems that never do.
    public var news: String?
    /// When the person asked, in seconds since 1970; `nil` where nobody did. Whatever takes its time has to be over
    /// within thirty days of it.
    public var requestedAt: Double?
    /// The time by which a connector decides that a day has come.
    public var time: ConnectorTime

    public init(
        key: String, names: [String], cursor: String? = nil, news: String? = nil, requestedAt: Double? = nil,
        time: ConnectorTime = .own
    ) {
        self.key = key
        self.names = names
        self.cursor = cursor
        self.news = news
        self.requestedAt = requestedAt
        self.time = time
    }
}

extension ConnectorRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names nobody, so that it may stand in a log.
    public var description: String { "\(key): \(names.count) names" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
