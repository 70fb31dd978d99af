// SPDX-License-Identifier: Apache-2.0

public import Foundation

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

    /// Whether a subject has an account that was made after their erasure had ended.
    ///
    /// Data of such a subject is not data that came back: the second look leaves it alone.
    func hasReturned(_ subject: String, since end: Date) async throws -> Bool
}

extension SubjectClosing {
    /// Nothing: the plan removes it.
    @discardableResult
    public func remove(_ subjects: [String]) async -> Bool { true }

    /// The accounts are not known here.
    public func hasReturned(_ subject: String, since end: Date) async throws -> Bool { false }
}
