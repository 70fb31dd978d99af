// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The way mails are sent: by a signed call to your service, or by a program on this machine.
public enum MailSettings: Sendable {
    /// Posts each mail as JSON to an address, signed according to Standard Webhooks, in the form of Supabase's "send
    /// email hook".
    case hook(address: URL, secrets: [WebhookSecret], site: String, landing: MailLanding)
    /// Hands each mail as a message (RFC 5322) to a program that reads it from its standard input and its recipient
    /// from the field `To`, as `sendmail -t` does.
    case command([String], from: String, site: String, landing: MailLanding)
}
