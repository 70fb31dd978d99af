// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
public import Foundation

/// One asking for an erasure: what came with it beside the person.
public struct ErasureAsking: Sendable, Hashable {
    /// The key under which this asking may be repeated and stays one (draft-ietf-httpapi-idempotency-key-header).
    public var idempotencyKey: String?
    /// The ticket the client made; `nil` lets the server make one.
    public var ticket: ErasureTicket?

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

/// An erasure as those see it who asked for it. Holds nothing of the person.
public struct RequestedErasure: Sendable, Hashable {
    public var status: ErasureStatus
    /// Until when it can be taken back; `nil` where it cannot.
    public var graceUntil: Date?
    /// When it has to be over.
    public var dueAt: Date?
    /// Why an operator holds it; `nil` when none does.
    public var holdReason: String?

    public var id: UUID { status.erasure.id }
    public var state: ErasureState { status.erasure.state }
    public var receipt: String? { status.erasure.receipt }
}

/// The answer to an asking.
public struct ErasureAnswer: Sendable {
    public var erasure: RequestedErasure
    public var ticket: ErasureTicket
    /// Whether it was asked for before: nothing new was begun.
    public var isKnown: Bool

    package init(erasure: RequestedErasure, ticket: ErasureTicket, isKnown: Bool) {
        self.erasure = erasure
        self.ticket = ticket
        self.isKnown = isKnown
    }
}
