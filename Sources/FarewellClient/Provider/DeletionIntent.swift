// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What names one wish to delete an account, made on the device before anybody hears of it.
public struct DeletionIntent: Sendable, Equatable {
    /// The key under which the request may be repeated (draft-ietf-httpapi-idempotency-key-header).
    public let key: String
    /// Lets this device ask for the outcome when account and tokens are gone.
    public let ticket: Token
    /// What the server calls the deletion, once it has said so.
    public var serverID: String?
    /// The server's proof that the user has just shown who they are, sent as `X-Farewell-Step-Up`. Good once, for a few
    /// minutes; never stored.
    public var proof: Token?

    public init(key: String, ticket: Token, serverID: String? = nil, proof: Token? = nil) {
        self.key = key
        self.ticket = ticket
        self.serverID = serverID
        self.proof = proof
    }
}
