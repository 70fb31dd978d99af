// SPDX-License-Identifier: Apache-2.0

/// Ends the subject's access before any of their data is changed: their sessions, everywhere.
public protocol SubjectClosing: Sendable {
    /// Ends every session of these subjects, by their keys in the subject's table, and publishes it to all followers.
    ///
    /// Called before the first destructive step, and again by a worker that takes an erasure over: so it succeeds for
    /// ended sessions. Throws if it is uncertain; then nothing is erased, and it is tried again.
    func close(_ subjects: [String]) async throws

    /// Removes the accounts of these subjects, if the plan does not. Called once their erasures have ended, before any
    /// waiting caller is notified. A failure must be corrected in another way.
    ///
    /// - Returns: Whether all of it is gone.
    @discardableResult
    func remove(_ subjects: [String]) async -> Bool
}

extension SubjectClosing {
    /// Nothing: the plan removes it.
    @discardableResult
    public func remove(_ subjects: [String]) async -> Bool { true }
}
