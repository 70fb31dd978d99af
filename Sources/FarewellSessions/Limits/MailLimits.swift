// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Limits how many mails may be requested.
struct MailLimits: AuthorityPart {
    let context: AuthorityContext
    let counter: AttemptCounter

    /// Counts a requested mail to an address. All servers count in one place, and with the same statements whether or
    /// not the user exists.
    ///
    /// Each source has its own limits, so that requests from unknown sources do not use up the owner's; unknown
    /// sources together have one more. A mail that the minute's limit refuses does not count for the longer window.
    ///
    /// - Throws: `over_email_send_rate_limit`.
    func countMail(
        _ purpose: MailPurpose, to address: String, from source: CallerSource
    ) async throws -> MailPermit {
        let source = keys.hashes(of: source)
        func isWithin(_ rule: AttemptRule) async throws -> Bool {
            let count = counter.attemptCount(rule, of: address, from: source)
            let outcome = try await retrying {
                try await count.queries.run(in: database)
            }
            if outcome.isWithinOwn, !outcome.isWithin {
                // A refusal because of other sources does not count for this source: otherwise it could request none
                // while unknown sources have used their limit up, nor for a while after.
                try await database.run(store.attempts.decrement(outcome.source))
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
            guard let most = rule.unknownSources, purpose != .reauthentication else { return true }
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
