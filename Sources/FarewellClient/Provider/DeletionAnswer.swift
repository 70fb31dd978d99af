// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The state of a deletion at the server.
public enum DeletionAnswer: Sendable, Hashable {
    /// The account is deleted, and this was verified.
    case done(DeletionProgress)
    /// Accepted: it will be done, whatever crashes.
    case underway(DeletionProgress)
    /// The server knows of no such deletion.
    case unknown
    /// It was cancelled.
    case cancelled

    public var progress: DeletionProgress? {
        switch self {
        case .done(let progress), .underway(let progress): progress
        case .unknown, .cancelled: nil
        }
    }
}
