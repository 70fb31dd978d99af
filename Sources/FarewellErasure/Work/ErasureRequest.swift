// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// One asking for an erasure: what came with it beside the person.
public struct ErasureRequest: Sendable, Hashable {
    /// The key under which this asking may be repeated and stays one (draft-ietf-httpapi-idempotency-key-header).
    public var idempotencyKey: String?
    /// The ticket the client made; `nil` lets the server make one.
    public var ticket: ErasureTicket?
    /// For how many seconds the token was made by which it was asked, where another issuer made it: so long the subject
    /// may go on writing.
    package var tokenLife: Int?

    public init(idempotencyKey: String? = nil, ticket: ErasureTicket? = nil) {
        self.idempotencyKey = idempotencyKey
        self.ticket = ticket
    }

    /// What must be the same when it is asked again under the same key.
    var bodyHash: String { SHA256.hash(data: Data((ticket?.text ?? "").utf8)).hexadecimal }

    func keyHash(of subject: SubjectHash) -> String? {
        idempotencyKey.map { SHA256.hash(data: Data("\(subject.rawValue)/\($0)".utf8)).hexadecimal }
    }
}
