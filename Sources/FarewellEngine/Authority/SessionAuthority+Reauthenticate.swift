// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Sends the caller a code of six digits by mail: good for ten minutes, five attempts and one use.
    ///
    /// - Throws: `email_provider_disabled` where nothing can be sent, `over_email_send_rate_limit` within a minute of
    ///   the last one.
    public func reauthenticate(_ caller: Caller) async throws {
        guard let sender = partners.codes, let email = caller.user.email else {
            throw AuthorityRefusal.emailProviderDisabled.error("Reauthentication requires the user to have an email")
        }
        let code = Self.code(from: keys.entropy)
        let kept = store.keep(code: codeHash(code, of: caller.user.id), of: caller.user.id, now: environment.now())
        let affected = try await database.withConnection { try await $0.run(kept).affected }
        guard affected == 1 else { throw AuthorityRefusal.overEmailSendRateLimit.error }
        try await sender.send(code, toEmail: email)
    }

    /// The stored hash of a code that is right; it is not yet used up.
    ///
    /// - Throws: `reauthentication_not_valid`.
    func check(code: String, of user: UUID) async throws -> String {
        let attempt = store.attemptCode(of: user, now: environment.now())
        let stored = try await database.withConnection { try await $0.run(attempt).scalar?.text }
        let shown = codeHash(code, of: user)
        guard let stored, HMAC<SHA256>.isValid(shown.utf8, Array(stored.utf8)) else {
            throw AuthorityRefusal.reauthenticationNotValid.error
        }
        return stored
    }

    /// Keyed, since six digits are guessed in no time from a dump.
    private func codeHash(_ code: String, of user: UUID) -> String {
        keys.lookupHash("\(user.uuidString.lowercased())/\(code)", purpose: "code").hexadecimal
    }

    /// Six digits, each code equally likely.
    private static func code(from entropy: Entropy) -> String {
        let limit = UInt32.max - UInt32.max % 1_000_000
        var number = limit
        while number >= limit { number = entropy.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
