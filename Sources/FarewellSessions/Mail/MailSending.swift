// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Delivers mails. Called in the background, never while a caller waits for an answer.
public protocol MailSending: Sendable {
    /// Delivers a mail.
    ///
    /// - Throws: Anything; the mail is then tried again, after growing pauses, until its code has expired. So the same
    ///   mail, with the same `id`, may be handed over more than once.
    func send(_ mail: Mail) async throws
}
