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

    public init(id: String? = nil, state: String, graceUntil: Date? = nil) {
        self.id = id
        self.state = state
        self.graceUntil = graceUntil
    }
}
