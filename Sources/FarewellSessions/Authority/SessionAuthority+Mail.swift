// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Sends a code to a user who has forgotten their password, or sends again the code of a sign-up or of a change of
    /// address. The answer is the same, after the same work, whether or not the user exists.
    ///
    /// - Throws: `email_provider_disabled` if no mail is sent, `validation_failed`, `email_address_invalid`,
    ///   `over_email_send_rate_limit` within a minute of this source's last request, beyond two in nine minutes of one
    ///   source, and beyond three in nine minutes of all unknown sources together.
    public func sendCode(
        _ purpose: MailPurpose, to email: String, source: CallerSource = CallerSource()
    ) async throws {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        guard partners.mail != nil else { throw AuthorityRefusal.emailProviderDisabled.error("No mail is sent here") }
        let address = try rules.mailable(email)
        let permit = try await countMail(purpose, to: address, from: source)
        let statement = try wish(purpose, to: address, user: nil, permit)
        try await database.run(statement)
        mailSignal.wake()
    }

    /// Sends the caller a code of six digits by mail: good for ten minutes, five attempts and one use, in this session.
    ///
    /// - Throws: `email_provider_disabled` if no mail is sent or the user has no address; `over_email_send_rate_limit`
    ///   within a minute of the last one, and beyond two in nine minutes.
    public func reauthenticate(_ caller: Caller) async throws {
        guard partners.mail != nil else { throw AuthorityRefusal.emailProviderDisabled.error("No mail is sent here") }
        guard let email = caller.user.email else {
            throw AuthorityRefusal.emailProviderDisabled.error("Reauthentication requires the user to have an email")
        }
        try await retrying {
            try await database.withConnection { connection in
                let allowsDigits = try await countMail(
                    .reauthentication, to: caller.user.id.text, by: caller, on: connection)
                let permit = MailPermit(
                    allowsDigits: allowsDigits, network: keys.hash(ofSessionOf: caller), device: nil)
                try await connection.run(try wish(.reauthentication, to: email, user: caller.user.id, permit))
            }
        }
        mailSignal.wake()
    }

    /// Informs a user of this authority that their account is going to be erased, in case another person requested it.
    /// Without mail, and for users without an address, nothing happens.
    ///
    /// - Parameter subject: The user's key; an unknown key is ignored.
    public func warn(ofErasureOf subject: String) async throws {
        guard partners.mail != nil, let user = UUID(text: subject) else { return }
        let found = try await database.run(store.account(user, session: nil))
        guard let email = try AccountRow(found)?.user.email else { return }
        let statement = try wish(.erasureRequested, to: email, user: user, warning)
        try await database.run(statement)
        mailSignal.wake()
    }

    /// For mails without a code.
    var warning: MailPermit {
        MailPermit(allowsDigits: false, network: keys.hashes(of: CallerSource()).network, device: nil)
    }

    /// Stores a request for a mail; after the commit the caller wakes `mailSignal`.
    func wish(
        _ purpose: MailPurpose, to address: String, user: UUID?, _ permit: MailPermit
    ) throws -> SQLStatement {
        let id = environment.makeIdentifier()
        let wish = MailWish(purpose, to: address, user: user, permit, entropy: keys.entropy)
        return store.insert(
            wish: try wish.sealed(as: id, keys), to: wish.domainHash(keys), id: id, now: environment.now())
    }

    /// Counts a requested mail to an address. All servers count in one place, and with the same statements whether or
    /// not the user exists.
    ///
    /// Each source has its own limits, so that strangers' requests leave the owner's alone; unknown sources together
    /// have one more. A mail that the minute's limit refuses does not count for the longer window.
    ///
    /// - Throws: `over_email_send_rate_limit`.
    func countMail(
        _ purpose: MailPurpose, to address: String, from source: CallerSource
    ) async throws -> MailPermit {
        let source = keys.hashes(of: source)
        func isWithin(_ rule: AttemptRule) async throws -> Bool {
            let count = counter.attemptCount(rule, of: address, from: source)
            let results = try await retrying {
                try await database.pipeline(count.statements)
            }
            let outcome = try count.outcome(results)
            if outcome.isWithinOwn, !outcome.isWithin {
                // A refusal because of other sources does not count for this source: otherwise it could request none
                // while strangers have used their limit up, nor for a while after.
                try await database.run(store.takeBack(outcome.source))
            }
            return outcome.isWithin
        }
        for rule in AttemptRule.mails(purpose) {
            guard try await isWithin(rule) else { throw AuthorityRefusal.overEmailSendRateLimit.error }
        }
        return MailPermit(
            allowsDigits: try await isWithin(.mailsWithDigits(purpose)), network: source.network, device: source.device)
    }

    /// Counts a mail that a signed-in caller wants to an address, or to themselves: by their session, and for the
    /// address by all signed-in callers who want it.
    ///
    /// - Returns: Whether the mail may contain digits beside the link.
    /// - Throws: `over_email_send_rate_limit`.
    func countMail(
        _ purpose: MailPurpose, to recipient: String, by caller: Caller, on connection: any SQLConnection
    ) async throws -> Bool {
        func isWithin(_ rule: AttemptRule) async throws -> Bool {
            let own = try await counter.count(rule, by: caller, of: recipient, on: connection)
            guard own <= rule.perSource else { return false }
            guard let most = rule.strangers, purpose != .reauthentication else { return true }
            return try await counter.count(rule, as: keys.callersCounter(rule, of: recipient), on: connection) <= most
        }
        for rule in AttemptRule.mails(purpose) {
            guard try await isWithin(rule) else { throw AuthorityRefusal.overEmailSendRateLimit.error }
        }
        return try await isWithin(.mailsWithDigits(purpose))
    }

    /// Counts a new address that an account requests.
    ///
    /// - Throws: `over_email_send_rate_limit`.
    func countNewAddress(of user: UUID, on connection: any SQLConnection) async throws {
        let rule = AttemptRule.newAddresses
        let number = try await counter.count(rule, as: keys.counter(rule, of: user.text, from: []), on: connection)
        guard number <= rule.perSource else { throw AuthorityRefusal.overEmailSendRateLimit.error }
    }
}
