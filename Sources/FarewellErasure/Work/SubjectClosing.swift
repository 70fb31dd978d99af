// SPDX-License-Identifier: Apache-2.0

public import FarewellSQL
public import Foundation

/// Ends all sessions of a subject before any of their data is changed.
public protocol SubjectClosing: Sendable {
    /// Ends every session of these subjects, given by their keys in the subject's table, and publishes the ends to all
    /// followers of the feed.
    ///
    /// Called before the first destructive step, and again by a worker that takes an erasure over, so it must also
    /// succeed if the sessions have ended already. If it throws, nothing is erased, and the call is repeated later.
    func close(_ subjects: [String]) async throws

    /// The statements of `close`, for a transaction that erases the subjects' rows after them: the sessions end if the
    /// subjects are erased, and only then. `closed` is called when it is committed.
    ///
    /// - Returns: `nil` if `close` must be called before, as where the sessions are in another database.
    func closing(_ subjects: [String]) async -> [SQLStatement]?

    /// A transaction with the statements of `closing` was committed: publishes the ends of the sessions.
    func closed(_ subjects: [String]) async

    /// Removes the accounts of these subjects, if the plan does not. Called after their erasures have ended and before
    /// any waiting caller is notified. A worker calls it once: a failure must be corrected in another way.
    ///
    /// - Returns: Whether all of the accounts are gone.
    @discardableResult
    func remove(_ subjects: [String]) async -> Bool

    /// Whether a subject has an account that was made after their erasure had ended.
    ///
    /// The second look does not erase data of such a subject, because it belongs to the new account.
    func hasReturned(_ subject: String, since end: Date) async throws -> Bool
}

extension SubjectClosing {
    /// `nil`: `close` is called before.
    public func closing(_ subjects: [String]) async -> [SQLStatement]? { nil }

    /// Does nothing.
    public func closed(_ subjects: [String]) async {}

    /// Does nothing: the plan removes the accounts.
    @discardableResult
    public func remove(_ subjects: [String]) async -> Bool { true }

    /// Always false, because the accounts are unknown here.
    public func hasReturned(_ subject: String, since end: Date) async throws -> Bool { false }
}
