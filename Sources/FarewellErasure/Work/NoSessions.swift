// SPDX-License-Identifier: Apache-2.0

public import FarewellSQL

/// For services whose users sign in elsewhere: this server has no sessions to end.
public struct NoSessions: SubjectClosing {
    public init() {}

    public func close(_ subjects: [String]) async throws {}

    public func closing(_ subjects: [String]) async -> [SQLStatement]? { [] }
}
