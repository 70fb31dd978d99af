// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Has a code sent to somebody who has forgotten their password, or who awaits the one of their sign-up or of their
    /// change of address once more. The answer is the same, after the same work, whether or not there is such a person.
    ///
    /// - Throws: `email_provider_disabled` where no mail is sent, `validation_failed`, `email_address_invalid`,
    ///   `over_email_send_rate_limit` within a minute of the last one to that address, and beyond ten in an hour.
    public func sendCode(_ purpose: MailPurpose, to email: String) async throws {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        guard partners.mail != nil else { throw AuthorityRefusal.emailProviderDisabled.error("No mail is sent here") }
        let address = try mailable(email)
        try await countMail(purpose, to: address)
        let statement = try wish(purpose, to: address, user: nil)
        try await database.withConnection { _ = try await $0.run(statement) }
        mailBell.knock()
    }

    /// Sends the caller a code of six digits by mail: good for ten minutes, five attempts and one use.
    ///
    /// - Throws: `email_provider_disabled` where no mail is sent, and for who has no address;
    ///   `over_email_send_rate_limit` within a minute of the last one, and beyond ten in an hour.
    public func reauthenticate(_ caller: Caller) async throws {
        guard partners.mail != nil else { throw AuthorityRefusal.emailProviderDisabled.error("No mail is sent here") }
        guard let email = caller.user.email else {
            throw AuthorityRefusal.emailProviderDisabled.error("Reauthentication requires the user to have an email")
        }
        try await countMail(.reauthentication, to: caller.user.id.text)
        let statement = try wish(.reauthentication, to: email, user: caller.user.id)
        try await database.withConnection { _ = try await $0.run(statement) }
        mailBell.knock()
    }

    /// Writes to a person of ours that their account is going to be erased, in case it was not they who asked. Where no
    /// mail is sent, and for those without an address, nothing happens.
    ///
    /// - Parameter subject: The person's key; one that is none of ours is passed over.
    public func warn(ofErasureOf subject: String) async throws {
        guard partners.mail != nil, let user = UUID(text: subject) else { return }
        let found = try await database.withConnection { try await $0.run(store.account(user, session: nil)) }
        guard let email = try AccountRow(found)?.user.email else { return }
        let statement = try wish(.erasureRequested, to: email, user: user)
        try await database.withConnection { _ = try await $0.run(statement) }
        mailBell.knock()
    }

    /// An address in its one spelling that may be written to.
    ///
    /// - Throws: `validation_failed` for what is no address; `email_address_invalid` for one where nobody can ever be
    ///   (RFC 6761, 6.4).
    func mailable(_ text: String) throws -> String {
        let address = try Self.address(text)
        guard !address.hasSuffix(".invalid"), !address.hasSuffix("@invalid") else {
            throw AuthorityRefusal.emailAddressInvalid.error
        }
        return address
    }

    static func address(_ text: String) throws -> String {
        guard let address = EmailAddress(text) else {
            throw AuthorityRefusal.validationFailed.error("Unable to validate email address: invalid format")
        }
        return address.text
    }

    /// Writes down that a mail is wanted; whoever commits it rings `mailBell` afterwards.
    func wish(_ purpose: MailPurpose, to address: String, user: UUID?) throws -> SQLStatement {
        let id = environment.makeIdentifier()
        let wish = MailWish(purpose, to: address, user: user, entropy: keys.entropy)
        return store.insert(wish: try wish.sealed(as: id, keys), id: id, now: environment.now())
    }

    /// Counts a mail to an address, or to a person by name. Every server counts in one place, and whether or not there
    /// is such a person.
    ///
    /// - Throws: `over_email_send_rate_limit`.
    func countMail(_ purpose: MailPurpose, to recipient: String) async throws {
        try await retrying { try await database.withConnection { try await countMail(purpose, to: recipient, on: $0) } }
    }

    /// Counts a mail within a transaction that wants it. What is too much for the minute does not count for the hour:
    /// else ten quick calls kept somebody's codes away.
    func countMail(_ purpose: MailPurpose, to recipient: String, on connection: any SQLConnection) async throws {
        let now = environment.now()
        for (name, window, most) in [("mail-minute", 60.0, 1), ("mail-hour", 3600.0, 10)] {
            let account = keys.lookupHash([purpose.rawValue, recipient], purpose: name)
            let counted = store.attempt(account, now: now, windowBegan: now.addingTimeInterval(-window))
            guard let count = try await connection.run(counted).scalar?.integer else { throw RowReader.unreadable }
            guard count <= most else { throw AuthorityRefusal.overEmailSendRateLimit.error }
        }
    }
}
