// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// How mails leave: by a signed call to a program of yours, or by a program of this machine.
public enum MailSettings: Sendable {
    /// Posts each mail as JSON to an address, signed as Standard Webhooks have it, in the shape of Supabase's
    /// "send email hook".
    case hook(address: URL, secrets: [WebhookSecret], site: String, landing: MailLanding)
    /// Hands each mail as a message (RFC 5322) to a program that reads it from its standard input and its recipient
    /// from the field `To`, as `sendmail -t` does.
    case command([String], from: String, site: String, landing: MailLanding)
}
