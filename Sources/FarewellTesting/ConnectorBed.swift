// SPDX-License-Identifier: Apache-2.0

public import Farewell

/// A system with users in it, and the connector to be tested.
public protocol ConnectorBed: Sendable {
    /// The system's name in the plan.
    var name: String { get }
    var connector: any Connector { get }
    /// Creates a new subject and their neighbours in the system.
    ///
    /// Neighbours are as similar to the subject as possible: a name that begins with the subject's, a key of which the
    /// subject's is one half.
    ///
    /// - Returns: The system's names for the subject.
    func settle() async throws -> [String]
    /// All entries of all users in the system, each under a name of its own. Entries of other users must be the same
    /// before and after, byte for byte.
    func census() async throws -> [String: String]
    /// The entries of the census that belong to the subject.
    func entries(of names: [String], in census: [String: String]) -> Set<String>
    /// Causes a fault in the calls from the n-th on, counted from 0; `nil` ends it.
    func inject(_ fault: InjectedFault?, at call: Int, lasting: Bool) async
    /// How many calls were sent since the last injection.
    var calls: Int { get async }
    /// Secrets that the connector uses. Tests search all its texts for them.
    var secrets: [String] { get }
    /// Faults that the connector may solve itself if they occur once, such as a refused token that can be renewed.
    var overcome: Set<InjectedFault> { get }
    /// The system's later message about a request, once it has called back; `nil` for systems that never do.
    func news(of key: String) async throws -> String?
    /// A valid name in the system that belongs to no user.
    var nobody: String { get }
    /// The same connector without a view of the subject: at another place, or with a credential that does not see the
    /// right one. `nil` if the system has no such place.
    func misled(_ how: ConnectorMisleading) async throws -> (any Connector)?
    /// Creates a new subject whose entries have strange names, and neighbours whose names differ from the subject's by
    /// capitals, normalisation, a combining mark, a suffix or a wildcard.
    ///
    /// - Returns: The system's names for the subject; `nil` if names do not matter in the system.
    func settleStrangely() async throws -> [String]?
}

extension ConnectorBed {
    public func news(of key: String) async throws -> String? { nil }
    public var overcome: Set<InjectedFault> { [] }
    public var nobody: String { "nobody-there" }
    public func misled(_ how: ConnectorMisleading) async throws -> (any Connector)? { nil }
    public func settleStrangely() async throws -> [String]? { nil }
}
