// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The parts of the authority, each made with the others that it uses.
final class AuthorityParts: Sendable {
    let counter: AttemptCounter
    let rules: AccountRules
    let unusedSignUps: UnusedSignUps
    let limits: MailLimits
    let outbox: MailOutbox
    let mailDelivery: MailDelivery
    let codes: CodeCheck
    let codeMails: CodeMails
    let ring: KeyRing
    let signingKeys: SigningKeys
    let returnedKeys: ReturnedKeys
    let issuer: SessionIssuer
    let revoker: SessionRevoker
    let revocations: RevocationReader
    let sessionRefresh: SessionRefresh
    let signOut: SignOut
    let passwords: PasswordHasher
    let writer: AccountWriter
    let accountUpdate: AccountUpdate
    let administration: UserAdministration
    let signUps: SignUps
    let passwordSignIn: PasswordSignIn
    let codeExchange: CodeExchange
    let codeSignIn: CodeSignIn
    let identityTokens: IdentityTokenCheck
    let identitySignIn: IdentitySignIn
    let providerConnections: ProviderConnections
    let authentication: CallerAuthentication
    let proofs: CallerProofs
    let consoleSessions: ConsoleSessions
    let cleaner: AuthorityCleaner
    let duties: BackgroundDuties

    init(_ context: AuthorityContext, partners: AuthorityPartners, work: PasswordWork) {
        let (database, store, environment) = (context.database, context.store, context.environment)
        let waited: @Sendable () -> Date = {
            Date(timeIntervalSinceReferenceDate: environment.uptime() / .seconds(1))
        }
        counter = AttemptCounter(context: context)
        rules = AccountRules(context: context)
        unusedSignUps = UnusedSignUps(context: context)
        limits = MailLimits(context: context, counter: counter)
        outbox = MailOutbox(context: context, sendsMail: partners.mail != nil)
        mailDelivery = MailDelivery(context: context, outbox: outbox, unusedSignUps: unusedSignUps)
        codes = CodeCheck(context: context, counter: counter)
        codeMails = CodeMails(context: context, rules: rules, limits: limits, outbox: outbox)
        ring = KeyRing(database: database, store: store.signingKeys, keys: context.keys, settings: context.settings)
        signingKeys = SigningKeys(context: context, ring: ring)
        returnedKeys = ReturnedKeys(context: context, ring: ring, signingKeys: signingKeys)
        issuer = SessionIssuer(context: context, ring: ring)
        revoker = SessionRevoker(context: context)
        revocations = RevocationReader(context: context)
        sessionRefresh = SessionRefresh(
            context: context, issuer: issuer, revoker: revoker, renewals: .renewals(database, store, environment))
        signOut = SignOut(context: context, revoker: revoker)
        passwords = PasswordHasher(
            work: work, cost: context.settings.passwordCost, entropy: context.keys.entropy,
            queue: HashQueue(context.settings.hashing, now: waited))
        writer = AccountWriter(context: context, rules: rules, outbox: outbox)
        accountUpdate = AccountUpdate(
            context: context, rules: rules, writer: writer, limits: limits, outbox: outbox, counter: counter,
            codes: codes, passwords: passwords, revoker: revoker)
        administration = UserAdministration(
            context: context, rules: rules, writer: writer, unusedSignUps: unusedSignUps, passwords: passwords,
            revoker: revoker)
        signUps = SignUps(
            context: context, rules: rules, limits: limits, outbox: outbox, passwords: passwords, issuer: issuer)
        passwordSignIn = PasswordSignIn(context: context, counter: counter, passwords: passwords, issuer: issuer)
        codeExchange = CodeExchange(context: context, issuer: issuer)
        codeSignIn = CodeSignIn(
            context: context, codes: codes, writer: writer, unusedSignUps: unusedSignUps, issuer: issuer,
            exchange: codeExchange)
        identityTokens = IdentityTokenCheck(context: context, verifier: partners.identityTokens)
        identitySignIn = IdentitySignIn(
            context: context, tokens: identityTokens, exchanger: partners.authorizationCodes, rules: rules,
            unusedSignUps: unusedSignUps, issuer: issuer)
        providerConnections = ProviderConnections(context: context)
        authentication = CallerAuthentication(
            context: context, tokens: AccessTokenCheck(context: context, ring: ring), revoker: revoker,
            lookUps: .lookUps(database, store, environment))
        proofs = CallerProofs(
            context: context, counter: counter, passwords: passwords, identityTokens: identityTokens)
        consoleSessions = ConsoleSessions(context: context, ring: ring, authentication: authentication)
        cleaner = AuthorityCleaner(context: context, signingKeys: signingKeys, unusedSignUps: unusedSignUps)
        duties = BackgroundDuties(
            context: context, revoker: revoker, revocations: revocations, cleaner: cleaner,
            returnedKeys: returnedKeys, delivery: mailDelivery, sender: partners.mail)
    }
}
