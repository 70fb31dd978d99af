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

    /// Sends a harmless request that shows that the place is the right one and that the credential can see into it.
    ///
    /// It needs no person and changes nothing. `farewell doctor` sends it before the first erasure; a connector whose
    /// system answers "nothing" as well from a wrong place sends it before "nothing there" counts.
    ///
    /// - Returns: The evidence, as one short sentence that names nobody; `nil` where the system has no such request.
    /// - Throws: `ConnectorFault`, with the right that is missing or what is wrong with the place.
    func prove() async throws -> String?
}

extension Connector {
    public func prove() async throws -> String? { nil }
}
