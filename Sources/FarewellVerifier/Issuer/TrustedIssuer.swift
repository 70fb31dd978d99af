// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// An issuer whose tokens are accepted: its exact name, its keys, and the claims that its tokens need.
public struct TrustedIssuer: Sendable {
    /// `iss`, compared byte by byte; never derived from a token.
    public let name: String
    /// Other spellings of the name, by which tokens are verified as if they had been issued under `name`.
    let aliases: Set<String>
    let keys: IssuerKeys
    /// The issuer's keys, for callers that add a secret.
    package var givenKeys: IssuerKeys { keys }
    private(set) var rules: ClaimRules

    /// The longest permitted life of its tokens, from `iat` to `exp`: a day, as with Cognito, Apple and Farewell; a
    /// week, as Supabase allows; or what was given to
    /// ``openID(_:keys:audiences:types:requiring:session:longestLife:)``.
    public var longestLife: Duration { rules.longestLife }

    /// The life of its tokens unless its owner chose another: an hour; a day for other issuers of OpenID
    /// Connect, which differ; or what was given to ``withTokens(of:)``.
    public var usualLife: Duration { rules.usualLife }

    /// The same issuer with the life that its owner chose for its tokens. Tokens with a longer life are refused.
    ///
    /// Throws `verifier.life` for less than a second or more than 30 days.
    public func withTokens(of life: Duration) throws(FarewellError) -> TrustedIssuer {
        guard life >= .seconds(1), life <= .seconds(2_592_000) else {
            throw FarewellError(
                "verifier.life", .yoursToFix, "The lifetime of an issuer's tokens must be 1 to 2592000 seconds.",
                remedy: "Use the lifetime of access tokens from the issuer's settings, in seconds.")
        }
        var issuer = self
        issuer.rules.longestLife = life
        issuer.rules.usualLife = life
        return issuer
    }

    private init(
        _ name: String, aliases: Set<String> = [], keys: IssuerKeys, rules: ClaimRules
    ) throws(FarewellError) {
        guard name.isPlain(upTo: 1024) else {
            throw FarewellError(
                "verifier.issuer", .yoursToFix, "The name of an issuer is empty, too long or has unusual characters.",
                remedy: "Write it as the issuer writes `iss` in its tokens.")
        }
        self.name = name
        self.aliases = aliases
        self.keys = keys
        self.rules = rules
    }

    private static func nonEmpty(_ audiences: Set<String>) throws(FarewellError) -> Set<String> {
        guard !audiences.isEmpty, audiences.allSatisfy({ $0.isPlain(upTo: 1024) }) else {
            throw FarewellError(
                "verifier.audience", .yoursToFix, "An issuer is trusted for no audience, or for an invalid one.",
                remedy: "Name the audiences, or the clients, whose tokens this service accepts.")
        }
        return audiences
    }

    // MARK: - Who they are

    /// Farewell's own session authority.
    ///
    /// `name` is its `iss`, such as `https://auth.example.org/auth/v1`. Without `keys` they are those that it publishes
    /// at `/.well-known/jwks.json` below its name (ES256, EdDSA). Its tokens are for `authenticated` unless it was
    /// configured otherwise.
    public static func farewell(
        _ name: String, keys: IssuerKeys? = nil, audiences: Set<String> = ["authenticated"]
    ) throws(FarewellError) -> TrustedIssuer {
        try TrustedIssuer(
            name, keys: try chosen(keys, wellKnown(below: name), [.es256, .edDSA]),
            rules: ClaimRules(
                audience: .named(try nonEmpty(audiences)), session: "session_id", isSessionRequired: true))
    }

    /// A Supabase project, by its address, such as `https://abcdefgh.supabase.co`.
    ///
    /// Without `keys` they are those that it publishes (ES256, RS256). For a project that still signs with its secret
    /// give ``IssuerKeys/secret(_:keyID:)``, or both by ``IssuerKeys/andSecret(_:keyID:)`` while it is moving; hosted
    /// projects write a `kid` that nothing publishes, so add ``IssuerKeys/withSecretUnderAnyName``. `issuer` is `iss`,
    /// if that is not the project's address with `/auth/v1`. The project's own keys (`anon`, `service_role`), which
    /// the same secret signs, are refused.
    public static func supabase(
        _ project: String, keys: IssuerKeys? = nil, audiences: Set<String> = ["authenticated"], issuer: String? = nil
    ) throws(FarewellError) -> TrustedIssuer {
        let address = authAddress(of: project)
        return try TrustedIssuer(
            issuer ?? address,
            keys: try chosen(keys, wellKnown(below: address), [.es256, .rs256]),
            rules: ClaimRules(
                audience: .named(try nonEmpty(audiences)), session: "session_id", longestLife: .seconds(604_800),
                keyRoles: ProjectKey.roles))
    }

    /// The address of a project's Auth: given with it, without it, or with a slash at the end.
    private static func authAddress(of project: String) -> String {
        var bytes = Array(project.utf8)
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let address = String(decoding: bytes, as: UTF8.self)
        let path = "/auth/v1"
        return address.utf8.suffix(path.utf8.count).elementsEqual(path.utf8) ? address : address + path
    }

    /// The purpose of Cognito's tokens: `token_use`.
    public enum CognitoUse: String, Sendable, Hashable, CaseIterable {
        case access, id
    }

    /// A user pool of Amazon Cognito, such as `eu-west-1_AbCdEfGhI`. Its sessions are named by `origin_jti`.
    ///
    /// `clients` are the app clients whose tokens are accepted: `client_id` of an access token, `aud` of an id token.
    /// An id token identifies a user to an application; accept it only for an API that was built so. Without `keys`
    /// they are those that the pool publishes (RS256).
    public static func cognito(
        pool: String, clients: Set<String>, uses: Set<CognitoUse> = [.access], keys: IssuerKeys? = nil
    ) throws(FarewellError) -> TrustedIssuer {
        let region = pool.prefix { $0 != "_" }
        let name = "https://cognito-idp.\(region).amazonaws.com/\(pool)"
        return try TrustedIssuer(
            name, keys: try chosen(keys, wellKnown(below: name), [.rs256]),
            rules: ClaimRules(
                audience: .cognito(try nonEmpty(clients)),
                required: [.init(name: "token_use", oneOf: Set(uses.map(\.rawValue)), refusal: .purpose)],
                session: "origin_jti"))
    }

    /// Firebase Authentication of one project, by default with the keys that Google publishes for it (RS256).
    public static func firebase(project: String, keys: IssuerKeys? = nil) throws(FarewellError) -> TrustedIssuer {
        try TrustedIssuer(
            "https://securetoken.google.com/\(project)",
            keys: try chosen(
                keys, "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
                [.rs256]),
            rules: ClaimRules(
                audience: .named(try nonEmpty([project])), needsAuthenticationTime: true, longestSubject: 128))
    }

    /// Sign in with Apple: identity tokens for these bundle or service identifiers, by default with the keys that Apple
    /// publishes (RS256). Compare ``VerifiedToken/nonce`` with the request's.
    public static func apple(audiences: Set<String>, keys: IssuerKeys? = nil) throws(FarewellError) -> TrustedIssuer {
        try TrustedIssuer(
            "https://appleid.apple.com",
            keys: try chosen(keys, "https://appleid.apple.com/auth/keys", [.rs256]),
            rules: ClaimRules(audience: .identity(try nonEmpty(audiences)), events: .written))
    }

    /// Apple's server-to-server notifications for these bundle or service identifiers: tokens that report
    /// events, in `events`, and grant no access.
    public static func appleEvents(
        audiences: Set<String>, keys: IssuerKeys? = nil
    ) throws(FarewellError) -> TrustedIssuer {
        try TrustedIssuer(
            "https://appleid.apple.com",
            keys: try chosen(keys, "https://appleid.apple.com/auth/keys", [.rs256]),
            rules: ClaimRules(audience: .named(try nonEmpty(audiences)), tokenKind: .event))
    }

    /// Google: identity tokens for these clients, by default with the keys that Google publishes (RS256). Google writes
    /// its name with and without `https://`.
    public static func google(audiences: Set<String>, keys: IssuerKeys? = nil) throws(FarewellError) -> TrustedIssuer {
        try TrustedIssuer(
            "https://accounts.google.com", aliases: ["accounts.google.com"],
            keys: try chosen(keys, "https://www.googleapis.com/oauth2/v3/certs", [.rs256]),
            rules: ClaimRules(audience: .identity(try nonEmpty(audiences))))
    }

    /// Identity tokens of any provider of OpenID Connect, by its exact `iss`, that were issued to this client: they
    /// identify a user, and open no API. Compare ``VerifiedToken/nonce`` with the request's.
    package static func identity(
        _ name: String, keys: IssuerKeys, client: String
    ) throws(FarewellError) -> TrustedIssuer {
        _ = try nonEmpty([client])
        return try TrustedIssuer(name, keys: keys, rules: ClaimRules(audience: .party(client)))
    }

    /// Any issuer of OpenID Connect or of JSON Web Tokens, by its exact `iss`.
    ///
    /// `audiences` are the names in `aud` that mean this service. `types` are the accepted values of `typ`: `JWT` also
    /// accepts tokens without one; `at+jwt` is for access tokens of RFC 9068, and refuses identity tokens. The claims
    /// in `requiring` must be present, each with one of its values. `session` is the claim that names the session, for
    /// revocations. `longestLife` bounds the time from `iat` to `exp`; the default is 30 days, the longest that issuers
    /// offer. `iat` may be absent, but not from tokens of RFC 9068, which requires it.
    public static func openID(
        _ name: String, keys: IssuerKeys, audiences: Set<String>, types: Set<String> = ["JWT"],
        requiring: [String: Set<String>] = [:], session: String? = "sid",
        longestLife: Duration = .seconds(2_592_000)
    ) throws(FarewellError) -> TrustedIssuer {
        let types = Set(types.map { $0.lowercased() })
        return try TrustedIssuer(
            name, keys: keys,
            rules: ClaimRules(
                types: types, audience: .named(try nonEmpty(audiences)),
                required: requiring.map { .init(name: $0.key, oneOf: $0.value, refusal: .purpose) }, session: session,
                needsIssueTime: !types.contains("jwt"), longestLife: longestLife,
                usualLife: min(.seconds(86_400), longestLife)))
    }

    /// The keys given, or those that the issuer publishes.
    private static func chosen(
        _ keys: IssuerKeys?, _ address: String, _ algorithms: Set<SignatureAlgorithm>
    ) throws(FarewellError) -> IssuerKeys {
        if let keys { return keys }
        return try .published(at: address, for: algorithms)
    }

    private static func wellKnown(below name: String) -> String { name + "/.well-known/jwks.json" }
}
