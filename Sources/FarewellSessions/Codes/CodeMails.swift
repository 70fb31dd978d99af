// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Sends codes, and warnings, to users by mail.
struct CodeMails: AuthorityPart {
    let context: AuthorityContext
    let rules: AccountRules
    let limits: MailLimits
    let outbox: MailOutbox

    /// Sends a code to a user who has forgotten their password, or sends again the code of a sign-up or of a change of
    /// address.
    func sendCode(
        _ purpose: MailPurpose, to email: String, source: CallerSource, returning: MailReturn
    ) async throws {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        try outbox.requireSender()
        let address = try rules.mailable(email)
        let permit = try await limits.countMail(purpose, to: address, from: source)
        let statement = try outbox.request(purpose, to: address, user: nil, permit, returning: returning)
        try await database.run(statement)
        outbox.wake()
    }

    /// Sends the caller a code of six digits by mail: good for ten minutes, five attempts and one use, in this session.
    func reauthenticate(_ caller: Caller) async throws {
        try outbox.requireSender()
        guard let email = caller.user.email else {
            throw AuthorityRefusal.emailProviderDisabled.error("Reauthentication requires the user to have an email")
        }
        try await retrying {
            try await database.withConnection { connection in
                let allowsDigits = try await limits.countMail(
                    .reauthentication, to: caller.user.id.text, by: caller, on: connection)
                let permit = MailPermit(
                    allowsDigits: allowsDigits, network: keys.hash(ofSessionOf: caller), device: nil)
                try await connection.run(try outbox.request(.reauthentication, to: email, user: caller.user.id, permit))
            }
        }
        outbox.wake()
    }

    /// Informs a user of this authority that their account is going to be erased, in case another person requested it.
    func warn(ofErasureOf subject: String) async throws {
        guard outbox.sendsMail, let user = UUID(text: subject) else { return }
        guard let email = try await store.accounts.find(user).run(in: database)?.user.email else { return }
        let statement = try outbox.warning(.erasureRequested, to: email, user: user)
        try await database.run(statement)
        outbox.wake()
    }
}
