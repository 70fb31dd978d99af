// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An event as it is carried to somebody else.
public struct OutgoingEvent: Sendable, Hashable {
    /// The same whenever it is delivered again, and another when the like of it happens again: who receives it may
    /// count on that.
    public var id: String
    public var kind: ErasureEventKind
    public var erasure: UUID
    public var happenedAt: Date
    /// The keyed hash of the subject, which is in the receipt as well.
    public var subjectHash: String
    /// The subject's key: only for endpoints that must know whom, and only as long as it is still kept.
    public var subject: String?
}
