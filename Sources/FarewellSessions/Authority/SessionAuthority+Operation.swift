// SPDX-License-Identifier: Apache-2.0
import Farewell

/// What operators and the background duties of a server use.
extension SessionAuthority {
    /// Delivers what is due now.
    package func deliverMail(by sender: any MailSending) async throws {
        try await parts.mailDelivery.deliverMail(by: sender)
    }
}
