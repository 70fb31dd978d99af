// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An event in its delivered form.
public struct OutgoingEvent: Sendable, Hashable {
    /// The same at every delivery of the event, and another for a similar later event: receivers may rely on that.
    public var id: String
    public var kind: ErasureEventKind
    public var erasure: UUID
    public var happenedAt: Date
    /// The keyed hash of the subject, which is in the receipt as well.
    public var subjectHash: String
    /// The subject's key: only for endpoints that need it, and only as long as it is stored.
    public var subject: String?
}
