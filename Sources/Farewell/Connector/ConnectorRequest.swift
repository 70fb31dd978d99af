// SPDX-License-Identifier: Apache-2.0

/// A connector's request for one subject.
public struct ConnectorRequest: Sendable, Hashable {
    /// The idempotency key: the same at every try, and another for every step of every run and for each time that the
    /// erasure of the system starts again.
    public var key: String
    /// The system's names for this subject: one or several, none of them empty.
    public var names: [String]
    /// Further items of the subject, by the system's own names: the app's database listed them just before this call
    /// (`owned` of a system).
    public var items: [String] = []
    /// The place at which the last call stopped; `nil` at the first call.
    public var cursor: String?
    /// The system's later message by calling back; `nil` until it arrives, and for systems that never call back.
    public var news: String?
    /// The time of the subject's request, in seconds since 1970; `nil` if there was none. Long-running work must end
    /// within thirty days of it.
    public var requestedAt: Double?
    /// The findings of recorded erasures at the place: evidence that it is the right one. It is only looked up for a
    /// connector that has thrown `ConnectorFault.unproved`, and is then called again.
    public var record = PlaceRecord.nothing
    /// The clock by which a connector decides that a day has come.
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
    /// Contains nothing personal, so that a log may hold it.
    public var description: String { "\(key): \(names.count) names" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
