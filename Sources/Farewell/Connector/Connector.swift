// SPDX-License-Identifier: Apache-2.0

/// Erases what one system of somebody else holds of a person, and looks whether it is gone.
///
/// A connector decides nothing about the run: it is called again, with the same key, until it has an answer, and it may
/// be killed between any two of its calls. So whatever it does, doing it again must be harmless. An error is never an
/// answer: what it could not find out it throws, as a `ConnectorFault`.
public protocol Connector: Sendable {
    /// What it can do, how often it may ask, and what it leaves to others.
    var declaration: ConnectorDeclaration { get }

    /// How much the system holds of the person, where it can be counted.
    ///
    /// - Returns: `nil` when the system cannot tell.
    /// - Throws: `ConnectorFault`.
    func count(_ request: ConnectorRequest) async throws -> Int?

    /// Erases, all of it or a bounded part.
    ///
    /// That the person is not there is success here: it may be that the answer to an earlier call was lost.
    ///
    /// - Throws: `ConnectorFault`.
    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer

    /// Looks whether anything is left, by another way than the one that erased where there is one.
    ///
    /// Only the system's own word that nothing is there is `gone`; an error is thrown.
    ///
    /// - Throws: `ConnectorFault`.
    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading
}

/// What a connector is asked to do, for one person.
public struct ConnectorRequest: Sendable, Hashable {
    /// The same at every try, and another for every step of every run: what an outside system may know a repeated
    /// call by (an idempotency key).
    public var key: String
    /// What the system calls this person: one name or several, none of them empty.
    public var names: [String]
    /// Where the last call stopped; `nil` at the first.
    public var cursor: String?
    /// What the system has told since by calling back; `nil` until it has, and for systems that never do.
    public var news: String?
    /// When the person asked, in seconds since 1970; `nil` where nobody did. Whatever takes its time has to be over
    /// within thirty days of it.
    public var requestedAt: Double?

    public init(
        key: String, names: [String], cursor: String? = nil, news: String? = nil, requestedAt: Double? = nil
    ) {
        self.key = key
        self.names = names
        self.cursor = cursor
        self.news = news
        self.requestedAt = requestedAt
    }
}

extension ConnectorRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names nobody, so that it may stand in a log.
    public var description: String { "\(key): \(names.count) names" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How a call that erases ended.
public enum ConnectorAnswer: Sendable, Hashable {
    /// So much was erased now, and the system says that this was all.
    case erased(Int)
    /// The system says that nothing of the person is there.
    case nothingThere
    /// So much was erased now, and there is more: call again with this cursor.
    case more(Int, cursor: String)
    /// The system has begun and tells later: call again with this cursor after so many seconds.
    case accepted(cursor: String, seconds: Double)
    /// What is left has its day, and nothing is to be done before: call again with this cursor, from `until` on, in
    /// seconds since 1970. `why` is for whoever looks after the erasure, and names nobody.
    case resting(cursor: String, until: Double, why: String)
    /// The system says that it will, or has; it never says more.
    case acknowledged(Int)
}

/// What a look at the system found.
public enum ConnectorReading: Sendable, Hashable {
    /// The system was asked, and says that nothing is there.
    case gone
    /// So much is there.
    case left(Int)
    /// The system has no way to tell.
    case cannotTell
}
