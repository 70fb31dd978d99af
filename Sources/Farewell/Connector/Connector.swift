// SPDX-License-Identifier: Apache-2.0

/// Erases a subject's data in one third-party system, and verifies that none is left.
///
/// A connector decides nothing about the run: it is called again, with the same key, until it has an answer, and it may
/// be killed between any two of its calls. So each of its acts must be safe to repeat. An error is never an answer: the
/// connector throws everything that it could not find out, as a `ConnectorFault`.
public protocol Connector: Sendable {
    /// Its abilities, its rate, and the data that it does not erase.
    var declaration: ConnectorDeclaration { get }

    /// The amount of the subject's data in the system, if it can be counted.
    ///
    /// - Returns: `nil` if the system cannot report it.
    /// - Throws: `ConnectorFault`.
    func count(_ request: ConnectorRequest) async throws -> Int?

    /// Erases, all of it or a bounded part.
    ///
    /// A missing subject is success here: the answer to an earlier call may have been lost.
    ///
    /// - Throws: `ConnectorFault`.
    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer

    /// Reads whether data of the subject is left, by another way than `erase` if there is one.
    ///
    /// `gone` requires the system's own answer that nothing is there; an error is thrown.
    ///
    /// - Throws: `ConnectorFault`.
    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading

    /// Sends a harmless request that shows that the place is the right one and that the credential can see into it.
    ///
    /// It needs no subject and changes nothing. `farewell doctor` sends it before the first erasure; a connector whose
    /// system also answers "nothing" from a wrong place sends it before "nothing there" counts.
    ///
    /// - Returns: The evidence, as one short sentence without personal data; `nil` if the system has no such request.
    /// - Throws: `ConnectorFault`, with the missing right or the fault of the place.
    func prove() async throws -> String?

    /// Deletes something that does not exist, which shows whether the credential may delete.
    ///
    /// It needs no subject and changes nothing. `farewell doctor` sends it after ``prove()``, because a right to read
    /// is no right to delete.
    ///
    /// - Returns: The evidence, as a clause without personal data; `nil` if the system has no such request.
    /// - Throws: `ConnectorFault`, with the missing right.
    func proveRights() async throws -> String?
}

extension Connector {
    public func prove() async throws -> String? { nil }
    public func proveRights() async throws -> String? { nil }
}
