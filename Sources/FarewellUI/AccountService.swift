// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient

/// What the screens of an account ask for. A `DeviceAccount` does it for real.
public protocol AccountService: Sendable {
    /// Signs out.
    ///
    /// - Throws: where the policy keeps the person signed in while the server cannot be told, and for `others`.
    func signOut(_ scope: SignOutScope) async throws

    /// Deletes the account; what the server reports meanwhile is told.
    ///
    /// - Returns: How it stood when this device turned to its own part.
    /// - Throws: when it was not accepted: everything is as it was.
    func deleteAccount(_ progress: @escaping @Sendable (DeletionProgress) -> Void) async throws -> DeletionProgress

    /// The person's living sessions, newest first.
    ///
    /// - Throws: when they cannot be had now.
    func sessions() async throws -> [ListedSession]

    /// Ends one of the person's sessions.
    ///
    /// - Throws: when that cannot be done now.
    func endSession(_ id: String) async throws

    /// Shows again who the person is, by their password.
    ///
    /// - Throws: when it is another one, or cannot be told now.
    func confirm(password: String) async throws
}
