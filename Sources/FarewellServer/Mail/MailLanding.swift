// SPDX-License-Identifier: Apache-2.0

import FarewellSessions

/// Where the link of a mail leads.
public enum MailLanding: Sendable, Hashable {
    /// To the page at this address: it asks for a click before it uses the token, so that a mail scanner that follows
    /// the link uses nothing up.
    case page(String)
    /// To `GET /verify` of the contract, below this address, which uses the token at once and then leads to the site.
    case verification(String)

    /// The link; `nil` for a mail without a token, and for a code that an app must show itself.
    func link(of mail: Mail, site: String) -> String? {
        guard !mail.token.isEmpty else { return nil }
        var fields = ["type": mail.purpose.rawValue, "token": mail.token]
        switch self {
        case .page(let address):
            fields["redirect_to"] = mail.redirect
            return "\(address)?\(FormFields.written(fields))"
        case .verification(let root):
            guard mail.purpose != .reauthentication else { return nil }
            fields["redirect_to"] = mail.redirect ?? site
            return "\(root)/verify?\(FormFields.written(fields))"
        }
    }
}
