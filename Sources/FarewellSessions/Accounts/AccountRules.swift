// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The contents that an account may have, and those that a new one has.
struct AccountRules: AuthorityPart {
    let context: AuthorityContext

    private static let metadataDepth = 32

    /// A user who was never here before.
    func newUser() -> User {
        let now = environment.now()
        return User(id: environment.makeIdentifier(), audience: settings.audience, createdAt: now, updatedAt: now)
    }

    func emailIdentity(of user: User) -> UserIdentity {
        let name = user.id.text
        return UserIdentity(
            id: environment.makeIdentifier(), userID: user.id, provider: "email", providerID: name,
            data: [
                "sub": .string(name), "email": .string(user.email ?? ""),
                "email_verified": .boolean(user.emailConfirmedAt != nil), "phone_verified": false,
            ], createdAt: user.createdAt, updatedAt: user.createdAt)
    }

    func check(newPassword password: String) throws {
        guard password.utf8.count <= settings.passwordRule.maximumBytes, !password.utf8.contains(0) else {
            throw AuthorityRefusal.validationFailed.error(
                "The password is too long or holds a character it may not hold")
        }
        let weaknesses = settings.passwordRule.weaknesses(of: password)
        guard weaknesses.isEmpty else {
            let isShort = weaknesses.contains(.length)
            throw AuthorityRefusal.weakPassword.error(
                isShort
                    ? "Password should be at least \(settings.passwordRule.minimumLength) characters."
                    : "Password should contain at least one character of each kind.")
        }
    }

    /// The metadata of an account is part of each of its tokens, so it has limits: verifiers accept tokens only up to a
    /// certain size and depth.
    func check(metadata: [String: JSONValue]) throws {
        guard !JSONValue.object(metadata).isLonger(than: settings.metadataLimit) else { throw longMetadata }
        guard JSONValue.object(metadata).depth <= Self.metadataDepth else {
            throw AuthorityRefusal.validationFailed.error(
                "The account's metadata is nested more than \(Self.metadataDepth) deep")
        }
        let size = try CanonicalJSON.data(metadata).count
        guard size <= settings.metadataLimit else { throw longMetadata }
    }

    /// Refuses a change of the metadata that cannot fit, before a transaction merges it: no caller holds the database
    /// with a long body. Members that are null take others away, and no account has so many of them.
    func check(change: [String: JSONValue]?) throws {
        guard let change else { return }
        guard change.count <= settings.metadataLimit,
            !JSONValue.object(change.filter { $0.value != .null }).isLonger(than: settings.metadataLimit)
        else { throw longMetadata }
    }

    private var longMetadata: FarewellError {
        AuthorityRefusal.validationFailed.error("The account's metadata is longer than \(settings.metadataLimit) bytes")
    }

    /// An address in its one spelling that may be written to.
    ///
    /// - Throws: `validation_failed` for text that is no address; `email_address_invalid` for an address that can have
    ///   no owner (RFC 6761, 6.4).
    func mailable(_ text: String) throws -> String {
        let address = try Self.address(text)
        guard !address.hasSuffix(".invalid"), !address.hasSuffix("@invalid") else {
            throw AuthorityRefusal.emailAddressInvalid.error
        }
        return address
    }

    /// - Throws: `validation_failed` for text that is no address.
    static func address(_ text: String) throws -> String {
        guard let address = EmailAddress(text) else {
            throw AuthorityRefusal.validationFailed.error("Unable to validate email address: invalid format")
        }
        return address.text
    }
}
