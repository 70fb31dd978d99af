// SPDX-License-Identifier: Apache-2.0

/// The settings of the session authority.
extension SettingKey {
    static let tokens: [SettingKey] = [
        issuer, audience, algorithm, secret, secretFile, formerSecrets, formerSecretFiles, accessTokenLife,
        administratorRoles,
    ]
    static let sessions: [SettingKey] = [inactivity, absolute, reuseInterval]
    static let people: [SettingKey] = [
        signUp, anonymous, emailConfirmation, passwordLength, passwordCost, passwordChange, attemptsPerAccount,
        attemptsPerSource, attemptsWindow,
    ]
    static let providers: [SettingKey] = [
        appleClients, appleKeys, appleTeam, appleKeyID, appleKeyFile, appleTokens, googleClients, googleKeys,
    ]
    static let feed: [SettingKey] = [followerKeyFile, heartbeat]

    // MARK: Tokens

    static let issuer = SettingKey(
        "tokens.issuer", .text, "http://host:port/auth/v1",
        "The issuer: the public address of /auth/v1. Required if http.host is 0.0.0.0 or ::.")
    static let audience = SettingKey("tokens.audience", .text, "authenticated", "The audience of tokens (aud).")
    static let algorithm = SettingKey(
        "tokens.algorithm", .oneOf(["ES256", "EdDSA", "HS256"]), "ES256",
        "The signing algorithm: with its own key, or with HS256 the shared secret.")
    static let secret = SettingKey(
        "tokens.secret", .text, "none", "A shared secret of at least 32 bytes; tokens that it signed are accepted.",
        isSecret: true)
    static let secretFile = SettingKey(
        "tokens.secret-file", .text, "none", "The file with the shared secret, instead of tokens.secret.")
    static let formerSecrets = SettingKey(
        "tokens.former-secrets", .list, "none",
        "Replaced shared secrets: tokens that they signed are still accepted, but they no longer sign.",
        isSecret: true)
    static let formerSecretFiles = SettingKey(
        "tokens.former-secret-files", .list, "none", "The files with them, instead of tokens.former-secrets.")
    static let accessTokenLife = SettingKey(
        "tokens.life", .number(1...86_400), "3600", "Lifetime of an access token in seconds.")
    static let administratorRoles = SettingKey(
        "tokens.administrator-roles", .list, "service_role, supabase_admin", "Roles that may administer users.")

    // MARK: Sessions

    static let inactivity = SettingKey(
        "sessions.inactivity", .number(0...1_000_000_000), "5184000",
        "Seconds without a refresh that end a session; 0 means never.")
    static let absolute = SettingKey(
        "sessions.absolute", .number(0...1_000_000_000), "31536000",
        "Seconds after which a session ends even if active; 0 means never.")
    static let reuseInterval = SettingKey(
        "sessions.reuse-interval", .number(0...3_600), "10",
        "Seconds in which an older refresh token of a client without a nonce returns the active one.")

    // MARK: People

    static let signUp = SettingKey("people.sign-up", .oneOf(["open", "closed"]), "open", "Whether users may sign up.")
    static let anonymous = SettingKey(
        "people.anonymous", .oneOf(["allowed", "refused"]), "refused", "Whether users may sign up anonymously.")
    static let emailConfirmation = SettingKey(
        "people.email-confirmation", .oneOf(["automatic", "required"]), "automatic",
        "Whether an e-mail address counts without confirmation.")
    static let passwordLength = SettingKey(
        "people.password-length", .number(6...128), "8", "Minimum length of a new password in characters.")
    static let passwordCost = SettingKey(
        "people.password-cost", .number(10...20), "15", "The cost of a password's hash: 2 to this power (scrypt's N).")
    static let passwordChange = SettingKey(
        "people.password-change", .oneOf(["with-session", "with-current-password", "with-code"]), "with-session",
        "The proof for a change of password or address; with-code: a code by mail, in sessions older than a day.")
    static let attemptsPerAccount = SettingKey(
        "people.attempts", .number(1...1_000_000), "30",
        "Password attempts for one account in a window, from all unknown sources at all servers together; more get "
            + "429.", formerName: "people.tries")
    static let attemptsPerSource = SettingKey(
        "people.attempts-per-source", .number(1...1_000_000), "10",
        "Such attempts from one network or known device, and from one session that confirms the password.",
        formerName: "people.tries-per-source")
    static let attemptsWindow = SettingKey(
        "people.attempts-window", .number(1...86_400), "300", "Seconds of that window.",
        formerName: "people.tries-window")

    // MARK: Providers

    static let appleClients = SettingKey(
        "apple.client-ids", .list, "none", "Client and bundle ids whose Apple identity tokens sign in.")
    static let appleKeys = SettingKey(
        "apple.keys", .text, "https://appleid.apple.com/auth/keys", "The address of Apple's public keys.")
    static let appleTeam = SettingKey(
        "apple.team-id", .text, "none", "Your team at Apple; with the key, authorization codes are exchanged.")
    static let appleKeyID = SettingKey("apple.key-id", .text, "none", "The identifier of your Sign in with Apple key.")
    static let appleKeyFile = SettingKey("apple.key-file", .text, "none", "That key, the .p8 file from Apple.")
    static let appleTokens = SettingKey(
        "apple.tokens", .text, "https://appleid.apple.com/auth/token", "The address that exchanges codes.")
    static let googleClients = SettingKey(
        "google.client-ids", .list, "none", "Client ids whose Google identity tokens sign in.")
    static let googleKeys = SettingKey(
        "google.keys", .text, "https://www.googleapis.com/oauth2/v3/certs", "The address of Google's public keys.")

    // MARK: The feed

    static let followerKeyFile = SettingKey(
        "feed.key-file", .text, "follower.key in the state directory",
        "The file with the key of services that follow revocations.")
    static let heartbeat = SettingKey(
        "feed.heartbeat", .number(1...60), "15", "Seconds of silence after which followers get a heartbeat.")
}
