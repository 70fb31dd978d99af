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
        "The issuer of the tokens: the address of /auth/v1 as callers see it. Required if http.host is "
            + "0.0.0.0 or ::.")
    static let audience = SettingKey("tokens.audience", .text, "authenticated", "The audience of the tokens (aud).")
    static let algorithm = SettingKey(
        "tokens.algorithm", .oneOf(["ES256", "EdDSA", "HS256"]), "ES256",
        "The algorithm that signs tokens: ES256 and EdDSA use the server's own key, HS256 uses the shared secret.")
    static let secret = SettingKey(
        "tokens.secret", .text, "none",
        "A shared secret of at least 32 bytes. The server accepts the tokens that it signed.", isSecret: true)
    static let secretFile = SettingKey(
        "tokens.secret-file", .text, "none", "The file with the shared secret, instead of tokens.secret.")
    static let formerSecrets = SettingKey(
        "tokens.former-secrets", .list, "none",
        "Replaced shared secrets. The server still accepts the tokens that they signed and signs none with them.",
        isSecret: true)
    static let formerSecretFiles = SettingKey(
        "tokens.former-secret-files", .list, "none",
        "The files with the replaced secrets, instead of tokens.former-secrets.")
    static let accessTokenLife = SettingKey(
        "tokens.life", .number(1...86_400), "3600", "How long an access token is valid, in seconds.")
    static let administratorRoles = SettingKey(
        "tokens.administrator-roles", .list, "service_role, supabase_admin", "The roles that may administer users.")

    // MARK: Sessions

    static let inactivity = SettingKey(
        "sessions.inactivity", .number(0...1_000_000_000), "5184000",
        "A session without a refresh ends after this many seconds. 0 sets no limit.")
    static let absolute = SettingKey(
        "sessions.absolute", .number(0...1_000_000_000), "31536000",
        "A session ends after this many seconds, however often it is refreshed. 0 sets no limit.")
    static let reuseInterval = SettingKey(
        "sessions.reuse-interval", .number(0...3_600), "10",
        "A client without a nonce may repeat a spent refresh token for this many seconds. It then receives "
            + "the active one.")

    // MARK: People

    static let signUp = SettingKey(
        "people.sign-up", .oneOf(["open", "closed"]), "open", "Whether new users may sign up.")
    static let anonymous = SettingKey(
        "people.anonymous", .oneOf(["allowed", "refused"]), "refused", "Whether anonymous users may sign up.")
    static let emailConfirmation = SettingKey(
        "people.email-confirmation", .oneOf(["automatic", "required"]), "required",
        "Whether an e-mail address must be confirmed by mail, or counts as confirmed at once: then a sign-up reveals "
            + "that an address is taken. If only this machine reaches the server, the default is automatic, "
            + "and a sign-up through a proxy is refused.")
    static let passwordLength = SettingKey(
        "people.password-length", .number(6...128), "8", "The fewest characters of a new password.")
    static let passwordCost = SettingKey(
        "people.password-cost", .number(10...20), "15",
        "The cost of a password's hash: scrypt's N is 2 to this power.")
    static let passwordChange = SettingKey(
        "people.password-change", .oneOf(["with-session", "with-current-password", "with-code"]), "with-session",
        "The proof for a change of password or e-mail address: the session alone, the current password, or a "
            + "mailed code in sessions that are older than a day.")
    static let attemptsPerAccount = SettingKey(
        "people.attempts", .number(1...1_000_000), "30",
        "The most password attempts for one account in a window, from all unknown sources and at all servers "
            + "together. Further ones are answered 429.", formerName: "people.tries")
    static let attemptsPerSource = SettingKey(
        "people.attempts-per-source", .number(1...1_000_000), "10",
        "The most password attempts from one network or known device, and from one session in which the user "
            + "types the password again.", formerName: "people.tries-per-source")
    static let attemptsWindow = SettingKey(
        "people.attempts-window", .number(1...86_400), "300",
        "The length of the window for password attempts, in seconds.", formerName: "people.tries-window")

    // MARK: Providers

    static let appleClients = SettingKey(
        "apple.client-ids", .list, "none",
        "The client and bundle identifiers whose Apple identity tokens may sign in.")
    static let appleKeys = SettingKey(
        "apple.keys", .text, "https://appleid.apple.com/auth/keys", "The address of Apple's public keys.")
    static let appleTeam = SettingKey(
        "apple.team-id", .text, "none",
        "Your team identifier at Apple. With the key, the server exchanges authorization codes.")
    static let appleKeyID = SettingKey(
        "apple.key-id", .text, "none", "The identifier of your key for Sign in with Apple.")
    static let appleKeyFile = SettingKey(
        "apple.key-file", .text, "none", "The file with that key, the .p8 file from Apple.")
    static let appleTokens = SettingKey(
        "apple.tokens", .text, "https://appleid.apple.com/auth/token",
        "The address at which the server exchanges authorization codes.")
    static let googleClients = SettingKey(
        "google.client-ids", .list, "none", "The client identifiers whose Google identity tokens may sign in.")
    static let googleKeys = SettingKey(
        "google.keys", .text, "https://www.googleapis.com/oauth2/v3/certs", "The address of Google's public keys.")

    // MARK: The feed

    static let followerKeyFile = SettingKey(
        "feed.key-file", .text, "follower.key in the state directory",
        "The file with the key of services that follow revocations.")
    static let heartbeat = SettingKey(
        "feed.heartbeat", .number(1...60), "15",
        "After this many seconds without an event, followers receive a heartbeat.")
}
