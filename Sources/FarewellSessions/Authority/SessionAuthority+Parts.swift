// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

extension SessionAuthority {
    var counter: AttemptCounter { parts.counter }
    var rules: AccountRules { parts.rules }
    var unusedSignUps: UnusedSignUps { parts.unusedSignUps }
    var lookUps: RequestCoalescer<SessionLookUp, AccountShare> { parts.lookUps }
    var ring: KeyRing { parts.ring }
    var passwords: PasswordKeeper { parts.passwords }
    var issuer: SessionIssuer { parts.issuer }
    var revoker: SessionRevoker { parts.revoker }
    var limits: MailLimits { parts.limits }
    var outbox: MailOutbox { parts.outbox }
    var codes: CodeCheck { parts.codes }
    var partners: AuthorityPartners { parts.partners }
}
