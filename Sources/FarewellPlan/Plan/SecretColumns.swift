// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns whose values admit their holder: password hashes, tokens, secrets, private keys, one-time codes.
///
/// A guess by name and type. In the tables by which users sign in, it is known.
enum SecretColumns {
    /// Whether the name and the type of a column say that it holds a secret.
    static func isOne(_ column: SchemaColumn) -> Bool {
        switch column.kind {
        case .boolean, .timestamp, .integer, .number: return false
        default: break
        }
        let words = PersonNames.words(column.name)
        guard let last = words.last, !facts.contains(last) else { return false }
        if words.contains(where: isSecret) || ["cookie", "cookies"].contains(last) { return true }
        let others = Set(words)
        if ["hash", "digest", "salt"].contains(last), !others.isDisjoint(with: hashed) { return true }
        if !others.isDisjoint(with: ["key", "keys"]), !others.isDisjoint(with: keys) { return true }
        return !others.isDisjoint(with: ["code", "codes"]) && !others.isDisjoint(with: codes)
    }

    /// Whether a column of a table by which users sign in is left out of exports unless the plan says otherwise.
    static func isKept(_ column: SchemaColumn, in table: TableName) -> Bool {
        guard AccountTables.names.contains(table) else { return false }
        let words = PersonNames.words(column.name)
        return isOne(column) || words.last == "hash" || words.first == "sealed"
    }

    private static func isSecret(_ word: String) -> Bool {
        if wholes.contains(word) { return true }
        if ["password", "passwd", "passphrase", "passcode"].contains(where: word.contains) { return true }
        return ["token", "tokens", "secret", "secrets", "apikey", "privatekey", "secretkey", "accesskey"].contains {
            word.hasSuffix($0)
        }
    }

    private static let wholes: Set<String> = [
        "pwd", "pw", "otp", "totp", "hotp", "nonce", "jwt", "cvv", "cvc", "pinhash", "passhash", "pwhash",
    ]
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
    /// Last words of a name that tells something about a secret.
    private static let facts: Set<String> = [
        "at", "on", "date", "time", "expiry", "expires", "expired", "until", "count", "counter", "type", "kind",
        "status",
        "state", "hint", "algorithm", "algo", "scheme", "version", "policy", "strength", "length", "name", "label",
        "attempts", "provider", "required", "enabled", "changed", "sent", "uses", "limit", "method", "format", "id",
        "ids",
        "usage", "purpose",
    ]
}
