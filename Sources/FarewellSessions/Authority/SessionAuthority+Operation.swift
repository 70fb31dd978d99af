// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// The functions for operators and for the background duties of a server.
extension SessionAuthority {
    /// Delivers what is due now.
    package func deliverMail(by sender: any MailSending) async throws {
        try await parts.mailDelivery.deliverMail(by: sender)
    }

    /// The public keys as a JSON Web Key Set (RFC 7517, 5), newest first. It contains the key that signs next and the
    /// keys whose tokens may still be valid, and never a shared secret.
    public func keySet() async throws -> Data {
        try await parts.signingKeys.keySet()
    }

    /// Publishes a new signing key, which signs once all verifiers may know it (`keyPublication`); the former key stays
    /// valid until its last token has expired.
    ///
    /// - Returns: The new key's identifier (`kid`).
    @discardableResult
    public func rotateSigningKey() async throws -> String {
        try await parts.signingKeys.rotate()
    }

    /// Removes a signing key at once: every server refuses its tokens from the next request on. If it was the signing
    /// key, the next key signs at once, or a new one; a former key never signs again.
    ///
    /// - Throws: `authority.unknown-key`.
    public func removeSigningKey(_ id: String) async throws {
        try await parts.signingKeys.remove(id)
    }

    /// The stored signing keys, newest first, and the present state of each.
    package func signingKeys() async throws -> [SigningKeyRecord] {
        try await parts.signingKeys.records()
    }

    /// One stored signing key.
    ///
    /// - Throws: `authority.unknown-key`.
    package func signingKey(_ id: String) async throws -> SigningKeyRecord {
        try await parts.signingKeys.record(id)
    }

    /// Looks after the feed and clears away what is over, until the task is cancelled. A database that does not answer
    /// for a while is waited for.
    public func run() async {
        await parts.duties.run()
    }

    /// Deletes expired data: entries of the feed older than any token, sessions that expired a day ago, attempts of
    /// past windows, signing keys whose last token has expired, sign-ups unused for a day, and new addresses (perhaps
    /// another user's) that were not confirmed for a day. A thousand of each kind at a time. Deletes nothing while this
    /// process's clock cannot be trusted.
    public func prune() async throws {
        try await parts.cleaner.prune()
    }

    // MARK: Sessions of the console

    /// The longest life of a console session, in seconds.
    package static var consoleLife: TimeInterval { ConsoleSessions.life }

    /// Verifies a token that administers users, for a sign-in at the console.
    ///
    /// - Throws: errors of `administrator(_:)`.
    package func consoleEntry(byToken token: String) async throws -> (claims: AccessTokenClaims, entry: ConsoleEntry) {
        try await parts.consoleSessions.entry(byToken: token)
    }

    /// A sign-in at a provider, which the caller has verified.
    ///
    /// - Parameter provider: All values that decide which operators may sign in there and with which role. If any of
    ///   them changes, earlier sign-ins are no longer valid.
    package func consoleEntry(byProvider provider: [String]) -> ConsoleEntry {
        parts.consoleSessions.entry(byProvider: provider)
    }

    /// Begins a session.
    ///
    /// - Returns: The secret for the browser: 256 random bits in base64url. Only a keyed hash of it is stored.
    package func beginConsoleSession(_ name: String, role: String, _ entry: ConsoleEntry) async throws -> String {
        try await parts.consoleSessions.begin(name, role: role, entry)
    }

    /// The live session for a browser's secret; nil for anything else.
    ///
    /// - Parameter provider: The provider of today's settings, as given to `consoleEntry(byProvider:)`, or nil.
    package func consoleSession(_ token: String, provider: [String]?) async throws -> ConsoleSession? {
        try await parts.consoleSessions.live(token, provider: provider)
    }

    /// All sessions at the console, oldest first.
    package func consoleSessions(provider: [String]?) async throws -> [ConsoleSession] {
        try await parts.consoleSessions.all(provider: provider)
    }

    /// Ends one session.
    ///
    /// - Returns: Whether it was there.
    package func endConsoleSession(_ id: UUID) async throws -> Bool {
        try await parts.consoleSessions.end(id)
    }

    /// Ends every session of the console.
    ///
    /// - Returns: How many there were.
    package func endConsoleSessions() async throws -> Int {
        try await parts.consoleSessions.endAll()
    }
}
