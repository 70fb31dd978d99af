// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The mails to be sent: stored in the transaction that causes them, and delivered by `MailDelivery`.
struct MailOutbox: AuthorityPart {
    let context: AuthorityContext
    /// Whether mail leaves this place.
    let sendsMail: Bool
    private let signal = WakeSignal()

    init(context: AuthorityContext, sendsMail: Bool) {
        self.context = context
        self.sendsMail = sendsMail
    }

    /// - Throws: `email_provider_disabled` if no mail is sent.
    func requireSender() throws {
        guard sendsMail else { throw AuthorityRefusal.emailProviderDisabled.error("No mail is sent here") }
    }

    /// Stores a request for a mail; after the commit the caller calls `wake`.
    func request(
        _ purpose: MailPurpose, to address: String, user: UUID?, _ permit: MailPermit,
        returning: MailReturn = MailReturn()
    ) throws -> SQLStatement {
        let id = environment.makeIdentifier()
        let request = MailRequest(
            purpose, to: address, user: user, permit, returning: returning, entropy: keys.entropy)
        return store.mail.insert(
            request: try request.sealed(as: id, keys), to: request.domainHash(keys), id: id, now: environment.now())
    }

    /// Stores a request for a mail without a code; after the commit the caller calls `wake`.
    func warning(_ purpose: MailPurpose, to address: String, user: UUID) throws -> SQLStatement {
        let network = keys.hashes(of: CallerSource()).network
        return try request(
            purpose, to: address, user: user, MailPermit(allowsDigits: false, network: network, device: nil))
    }

    /// Wakes the delivery: a mail is to be sent.
    func wake() { signal.wake() }

    var wakes: AsyncStream<Void> { signal.wakes }
}
