// SPDX-License-Identifier: Apache-2.0

public import Farewell

/// A system with people in it, and the connector to it that is to be tested.
public protocol ConnectorBed: Sendable {
    /// The system's name in the plan.
    var name: String { get }
    var connector: any Connector { get }
    /// Puts a new person and their neighbours into the system.
    ///
    /// Neighbours are as like the person as they can be: a name that begins with the person's, a key of which the
    /// person's is one half.
    ///
    /// - Returns: What the system calls the person.
    func settle() async throws -> [String]
    /// Everything the system holds of everybody, each entry under a name of its own. What is not the person's must be
    /// the same before and after, byte for byte.
    func census() async throws -> [String: String]
    /// The entries of the census that are the person's.
    func entries(of names: [String], in census: [String: String]) -> Set<String>
    /// Lets something go wrong with the calls from the n-th on, counted from 0; `nil` ends it.
    func inject(_ fault: ConnectorTrouble?, at call: Int, lasting: Bool) async
    /// How many calls were sent since the last injection.
    var calls: Int { get async }
    /// Secrets that the connector uses, for which everything it says is searched.
    var secrets: [String] { get }
    /// Troubles that the connector may get over by itself when they come once, where others need a person: a token that
    /// is refused and can be renewed.
    var overcome: Set<ConnectorTrouble> { get }
    /// What the system has told of a request by calling back, once it has; `nil` for systems that never do.
    func news(of key: String) async throws -> String?
    /// A name that fits the system and that nobody has.
    var nobody: String { get }
    /// The same connector where it cannot find anybody: at another place, or with a credential that does not see the
    /// right one. `nil` where the system has no such place.
    func misled(_ how: ConnectorMisleading) async throws -> (any Connector)?
    /// Puts a new person into the system whose entries have strange names, and neighbours whose names differ from the
    /// person's by capitals, normalisation, a combining mark, what comes after it or a wildcard.
    ///
    /// - Returns: What the system calls the person; `nil` where names are not the system's business.
    func settleStrangely() async throws -> [String]?
}

extension ConnectorBed {
    public func news(of key: String) async throws -> String? { nil }
    public var overcome: Set<ConnectorTrouble> { [] }
    public var nobody: String { "nobody-there" }
    public func misled(_ how: ConnectorMisleading) async throws -> (any Connector)? { nil }
    public func settleStrangely() async throws -> [String]? { nil }
}
