// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The authority's external partners. A `nil` partner's function is not offered.
public struct AuthorityPartners: Sendable {
    public var identityTokens: (any IdentityTokenVerifying)?
    public var authorizationCodes: (any AuthorizationCodeExchanging)?
    public var mail: (any MailSending)?

    public init(
        identityTokens: (any IdentityTokenVerifying)? = nil,
        authorizationCodes: (any AuthorizationCodeExchanging)? = nil, mail: (any MailSending)? = nil
    ) {
        self.identityTokens = identityTokens
        self.authorizationCodes = authorizationCodes
        self.mail = mail
    }
}
