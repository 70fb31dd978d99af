// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// Users: what they change themselves, the operations of administrators, and the erasure of accounts.
extension SessionAuthority {
    /// Changes the caller's own account. A new password ends all their other sessions. If the settings require a proof
    /// for a new password, a new address requires it too, because the owner of the address can set a new password.
    ///
    /// An address of another user is answered like any other, and stays theirs (SRV-05).
    ///
    /// - Throws: `email_address_invalid`, `phone_provider_disabled`, `weak_password`,
    ///   `same_password`, `current_password_required`, `current_password_invalid`, `reauthentication_needed`,
    ///   `reauthentication_not_valid`, `over_email_send_rate_limit`, `over_request_rate_limit`, `validation_failed`.
    public func update(
        _ caller: Caller, _ change: UserChange, source: CallerSource = CallerSource()
    ) async throws -> User {
        try await parts.accountUpdate.update(caller, change, source: source)
    }

    /// Sends the caller a code of six digits by mail: good for ten minutes, five attempts and one use, in this session.
    ///
    /// - Throws: `email_provider_disabled` if no mail is sent or the user has no address; `over_email_send_rate_limit`
    ///   within a minute of the last one, and beyond two in nine minutes.
    public func reauthenticate(_ caller: Caller) async throws {
        try await parts.codeMails.reauthenticate(caller)
    }

    /// Whether an account knows the secret of a device, because a user has signed in from it.
    public func knows(device: String, of user: UUID) async throws -> Bool {
        try await parts.issuer.knows(device: device, of: user)
    }

    // MARK: Administrators, whose role the caller has checked (`administrator`)

    /// A page of users.
    ///
    /// - Parameters:
    ///   - page: From 1.
    ///   - perPage: At most 1,000.
    ///   - filter: Part of an e-mail address, or of the `full_name` among what a user stored beside the account.
    ///   - order: By the time at which they were made.
    /// - Returns: The page, empty past the last one, with the number of all who fit.
    /// - Throws: The database's errors only.
    public func users(
        page: Int = 1, perPage: Int = 50, filter: String? = nil, order: UserOrder = .newestFirst
    ) async throws -> UserPage {
        try await parts.administration.users(page: page, perPage: perPage, filter: filter, order: order)
    }

    /// - Throws: `user_not_found`.
    public func user(_ id: UUID) async throws -> User {
        try await parts.administration.user(id)
    }

    /// Those of some users who exist.
    package func existingUsers(_ ids: [UUID]) async throws -> [UUID] {
        try await parts.administration.existing(ids)
    }

    /// Makes a user; also one who comes from elsewhere with their identifier and password hash.
    ///
    /// - Throws: `validation_failed`, `email_exists`, `phone_exists`, `weak_password`.
    public func createUser(_ draft: AdministratorChange) async throws -> User {
        try await parts.administration.create(draft)
    }

    /// Changes a user. A new password or a ban ends all their sessions.
    ///
    /// - Throws: `user_not_found`, and what `createUser` throws.
    public func updateUser(_ id: UUID, _ change: AdministratorChange) async throws -> User {
        try await parts.administration.update(id, change)
    }

    /// Deletes a user, and publishes that none of their tokens is valid any longer. Deleting softly twice is fine.
    ///
    /// - Throws: `user_not_found`.
    public func deleteUser(_ id: UUID, _ deletion: UserDeletion = .hard) async throws {
        try await parts.administration.delete(id, deletion)
    }

    // MARK: Erasures and providers

    /// Informs a user of this authority that their account is going to be erased, in case another person requested it.
    /// Without mail, and for users without an address, nothing happens.
    ///
    /// - Parameter subject: The user's key; an unknown key is ignored.
    public func warn(ofErasureOf subject: String) async throws {
        try await parts.codeMails.warn(ofErasureOf: subject)
    }

    /// The user with this name at a provider; `nil` if no user signed in so.
    public func person(at provider: String, named name: String) async throws -> UUID? {
        try await parts.providerConnections.person(at: provider, named: name)
    }

    /// The values that revoke a user's connection at a provider: the refresh token and the client it was issued to.
    public func providerCredential(of user: UUID, provider: String) async throws -> ProviderCredential? {
        try await parts.providerConnections.providerCredential(of: user, provider: provider)
    }
}
