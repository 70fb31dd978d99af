// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// What names one wish to delete an account, made on the device before anybody hears of it.
public struct DeletionIntent: Sendable, Equatable {
    /// The key under which the request may be repeated (draft-ietf-httpapi-idempotency-key-header).
    public let key: String
    /// Lets this device ask for the outcome when account and tokens are gone.
    public let ticket: Token
    /// What the server calls the deletion, once it has said so.
    public var serverID: String?

    public init(key: String, ticket: Token, serverID: String? = nil) {
        self.key = key
        self.ticket = ticket
        self.serverID = serverID
    }
}

/// How a deletion stands at the server.
public enum DeletionAnswer: Sendable, Hashable {
    /// The account is gone, and it was looked whether it is.
    case done(DeletionProgress)
    /// Accepted: it will be done, whatever crashes.
    case underway(DeletionProgress)
    /// The server knows of no such deletion.
    case unknown
    /// It was taken back.
    case cancelled

    public var progress: DeletionProgress? {
        switch self {
        case .done(let progress), .underway(let progress): progress
        case .unknown, .cancelled: nil
        }
    }
}

/// How far a deletion has come.
public struct DeletionProgress: Sendable, Hashable {
    /// What the server calls it; `nil` where it has no name.
    public let id: String?
    /// Where it stands, in the server's word for people, such as `running`.
    public let state: String
    /// Until when it can be taken back; `nil` where it cannot.
    public let graceUntil: Date?
    /// The proof, once it is done and where the server offers one.
    public var receipt: DeletionReceipt?

    public init(id: String? = nil, state: String, graceUntil: Date? = nil, receipt: DeletionReceipt? = nil) {
        self.id = id
        self.state = state
        self.graceUntil = graceUntil
        self.receipt = receipt
    }
}

/// The proof of a deletion, signed by the server. Holds nothing of the person.
public struct DeletionReceipt: Sendable, Hashable {
    /// A compact JSON Web Signature (RFC 7515), which `farewell receipt verify` checks.
    public let signed: String
    /// The same as a page of HTML to read; `nil` where the server offers none.
    public let page: String?

    public init(signed: String, page: String? = nil) {
        self.signed = signed
        self.page = page
    }
}
