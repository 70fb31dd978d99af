// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The identity of one request to delete an account, made on the device before it is sent.
public struct DeletionIntent: Sendable, Equatable {
    /// The key under which the request may be repeated (draft-ietf-httpapi-idempotency-key-header).
    public let key: String
    /// Lets this device read the outcome when account and tokens are deleted.
    public let ticket: Token
    /// The server's name for the deletion, once known.
    public var serverID: String?
    /// The server's proof that the user has just confirmed their identity, sent as `X-Farewell-Step-Up`. Valid
    /// once, for a few minutes; never stored.
    public var proof: Token?

    public init(key: String, ticket: Token, serverID: String? = nil, proof: Token? = nil) {
        self.key = key
        self.ticket = ticket
        self.serverID = serverID
        self.proof = proof
    }
}
