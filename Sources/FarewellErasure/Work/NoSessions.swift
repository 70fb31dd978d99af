// SPDX-License-Identifier: Apache-2.0

/// For services whose users sign in elsewhere: there are no sessions of ours to end.
public struct NoSessions: SubjectClosing {
    public init() {}

    public func close(_ subjects: [String]) async throws {}
}
