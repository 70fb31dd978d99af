// SPDX-License-Identifier: Apache-2.0

/// Ends what people can still do, before anything of theirs is touched: their sessions, everywhere.
public protocol SubjectClosing: Sendable {
    /// Ends every session of these people, by their keys in the subject's table, and says so to all who follow.
    ///
    /// Called before the first step that destroys anything, and again by whoever takes an erasure over: so ending what
    /// has ended is fine. Throws when it is not certain; then nothing is erased, and it is tried again.
    func close(_ subjects: [String]) async throws

    /// Removes what lets these people sign in, where the plan does not. Called once their erasures have ended, before
    /// anybody who waits is told. What could not be done must come about by another way.
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
