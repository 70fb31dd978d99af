// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import FarewellVerifier
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Apple's server-to-server notifications for Sign in with Apple: a user withdrew their consent or deleted their
/// Apple Account. Verified as identity tokens are, and each dealt with once.
struct AppleEvents: Sendable {
    let verifier: TokenVerifier
    let requests: ErasureRequests
    let authority: SessionAuthority

    static let issuer = "https://appleid.apple.com"

    static func prepared(
        _ settings: ServeSettings, requests: ErasureRequests, authority: SessionAuthority, log: Logger
    ) throws -> (events: AppleEvents, service: VerifierService)? {
        guard let provider = try Self.provider(of: settings) else { return nil }
        let keys = try IssuerKeys.published(
            at: settings.providerKeys["apple"] ?? "https://appleid.apple.com/auth/keys", for: [.rs256])
        let service = try VerifierService(
            trusting: [.appleEvents(audiences: provider.audiences, keys: keys)], log: log)
        return (AppleEvents(verifier: service.verifier, requests: requests, authority: authority), service)
    }

    /// For whose apps notifications are taken; nil if none are.
    ///
    /// - Throws: `settings.incomplete`.
    static func provider(of settings: ServeSettings) throws -> IdentityProvider? {
        guard settings.erasures.appleEvents == .on else { return nil }
        guard let provider = settings.authority.identityProviders.first(where: { $0.name == "apple" }) else {
            throw FarewellError(
                "settings.incomplete", .yoursToFix, "erasures.apple-events is on, but apple.client-ids is not set.",
                remedy: "Name the client ids that the notifications are for.")
        }
        return provider
    }

    var route: Route {
        Route(
            .post, "/v1/events/apple",
            RouteOperation(
                id: "receiveAppleEvent", summary: "Receive Apple's notifications about users of Sign in with Apple",
                tag: "events", body: .init(schema: .named("AppleNotification")),
                answers: [200: .init(meaning: "The notification was processed, now or earlier.", schema: .anyObject)],
                refusals: RouteRefusals.tokens.merging([400: ["bad_json", "erasure.malformed"]]) { $0.union($1) }),
            limit: .address
        ) { call in
            guard let payload = try await call.members().text("payload") else {
                throw FarewellError("erasure.malformed", .yoursToFix, "The request has no payload.")
            }
            let token: VerifiedToken
            do throws(TokenRefusal) {
                token = try await verifier.verify(payload)
            } catch {
                if error.family == .tryAgain { throw error.error as any Error }
                throw ErrorWithStatus(.unauthorized, error.error)
            }
            try await receive(token)
            return .json([String: String]())
        }.taking(atMost: 64 << 10)
    }

    private func receive(_ token: VerifiedToken) async throws {
        guard let event = try Self.event(token), let identifier = token.claims["jti"]?.string,
            identifier.isPlain(upTo: 255)
        else {
            throw FarewellError("erasure.malformed", .yoursToFix, "The notification contains no event.")
        }
        // A second copy is about sessions that have ended.
        guard try await !requests.wasReceived(identifier, from: Self.issuer) else { return }
        switch event.type {
        case "consent-revoked", "account-delete", "account-deleted":
            // Ending sessions twice is harmless; so it comes first, and the note that it was done second.
            // It may come late: the user may have signed in again since, and that session is not meant.
            if let user = try await authority.person(at: "apple", named: event.subject) {
                try await authority.endSessions(of: user, begunUntil: event.time, reason: .byAdministrator)
            }
        default: break
        }
        _ = try await requests.receive(identifier, from: Self.issuer)
    }

    /// `events` is a JSON object written as text; so the verifier has not seen what that text escapes.
    private static func event(_ token: VerifiedToken) throws -> (type: String, subject: String, time: Date)? {
        let value: JSONValue?
        switch token.claims["events"] {
        case .string(let text): value = try? StrictJSON.value(Array(text.utf8))
        case let other: value = other
        }
        guard let event = value, let type = event["type"]?.string, let subject = event["sub"]?.string,
            subject.isPlain(upTo: 255)
        else { return nil }
        return (type, subject, AppleEventTime.latest(of: event, issuedAt: token.issuedAt))
    }
}
