// SPDX-License-Identifier: Apache-2.0

/// Names of values that grant access: password hashes, tokens, secrets, private keys, one-time codes.
///
/// The name is only a hint. It is used for columns of a database and for values in documents of other systems.
package enum SecretName {
    /// Whether the name says that a text, bytes or a document is a secret.
    package static func isOne(_ name: String) -> Bool {
        let words = NameWords.of(name)
        guard let last = words.last, !facts.contains(last) else { return false }
        if words.contains(where: isSecret) || ["cookie", "cookies"].contains(last) { return true }
        let others = Set(words)
        if ["hash", "digest", "salt"].contains(last), !others.isDisjoint(with: hashed) { return true }
        if !others.isDisjoint(with: ["key", "keys"]), !others.isDisjoint(with: keys) { return true }
        return isCode(others) || isPin(words)
    }

    /// Whether the name says that a number is a secret: a code that a person types. As numbers, `tokens` is an
    /// amount and `api_key` refers to a row.
    package static func isNumber(_ name: String) -> Bool {
        let words = NameWords.of(name)
        guard let last = words.last, !facts.contains(last) else { return false }
        if words.contains(where: { numbers.contains($0) || isPassword($0) }) { return true }
        return isCode(Set(words)) || isPin(words)
    }

    private static func isCode(_ words: Set<String>) -> Bool {
        !words.isDisjoint(with: ["code", "codes"]) && !words.isDisjoint(with: codes)
    }

    /// The whole name: `pin`, `login_pin`; a `map_pin` is a place.
    private static func isPin(_ words: [String]) -> Bool {
        guard let last = words.last, ["pin", "pins"].contains(last) else { return false }
        return words.dropLast().allSatisfy { pinned.contains($0) }
    }

    private static func isPassword(_ word: String) -> Bool {
        ["password", "passwd", "passphrase", "passcode"].contains(where: word.contains)
    }

    private static func isSecret(_ word: String) -> Bool {
        if wholes.contains(word) || isPassword(word) { return true }
        return ["token", "tokens", "secret", "secrets", "apikey", "privatekey", "secretkey", "accesskey"].contains {
            word.hasSuffix($0)
        }
    }

    private static let wholes: Set<String> = [
        "pwd", "pw", "otp", "totp", "hotp", "nonce", "jwt", "cvv", "cvc", "pinhash", "passhash", "pwhash",
    ]
    private static let numbers: Set<String> = ["pwd", "pw", "otp", "otps", "totp", "hotp", "cvv", "cvc"]
    private static let pinned: Set<String> = ["user", "login", "security", "access", "card", "account", "unlock"]
    private static let hashed: Set<String> = ["pass", "pin", "key", "code", "ticket", "session", "answer"]
    private static let keys: Set<String> = [
        "api", "private", "secret", "signing", "encryption", "access", "auth", "session", "master", "recovery",
        "service", "webhook", "sealed",
    ]
    private static let codes: Set<String> = [
        "recovery", "backup", "reset", "verification", "verify", "confirmation", "confirm", "auth", "authorization",
        "authorisation", "login", "access", "activation", "security", "time", "scratch", "mfa", "unlock", "hash",
        "verifier", "challenge",
    ]
    /// Last words of names for a fact about a secret, such as `token_expires_at`.
    private static let facts: Set<String> = [
        "at", "on", "date", "time", "expiry", "expires", "expired", "until", "count", "counter", "type", "kind",
        "status", "check", "state", "hint", "algorithm", "algo", "scheme", "version", "policy", "strength", "length",
        "name", "label", "attempts", "provider", "required", "enabled", "changed", "sent", "uses", "limit", "method",
        "format", "id", "ids", "usage", "purpose",
    ]
}
