// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import HTTPTypes
import Hummingbird

/// Routes of the contract that this server does not offer. Each is refused with the contract's own code, after the
/// contract's check of the caller. They are not part of the OpenAPI description.
struct UnofferedRoutes: Sendable {
    let auth: AuthRoutes

    private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

    /// The callers who get the refusal.
    private enum Asker {
        case anyone, person, administrator
        /// An administrator who names an existing user in the path.
        case administratorOfUser
    }

    private static func refusal(_ code: String, _ message: String) -> FarewellError {
        FarewellError(FarewellError.Code(rawValue: "auth." + code), .yoursToFix, message)
    }

    private static let saml = refusal("saml_provider_disabled", "SAML 2.0 is disabled")
    private static let provider = refusal("validation_failed", "Unsupported provider: provider is not enabled")
    private static let callback = refusal("bad_oauth_callback", "OAuth state parameter missing")
    private static let invitation = refusal("feature_disabled", "Invitations are disabled")
    private static let link = refusal("feature_disabled", "Links made by administrators are disabled")
    private static let linking = refusal("manual_linking_disabled", "Manual linking is disabled")
    private static let passkey = refusal("passkey_disabled", "Passkeys are disabled")
    private static let oauth = refusal("feature_disabled", "OAuth server is disabled")
    private static let customProvider = refusal("feature_disabled", "Custom providers are disabled")
    private static let audit = refusal("feature_disabled", "The list of audit log entries is disabled")
    private static let factor = refusal("mfa_factor_not_found", "Factor not found")

    /// That a kind of second factor cannot be had.
    private static func enrolment(_ kind: String?) -> FarewellError {
        switch kind {
        case "phone": refusal("mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone")
        case "webauthn": refusal("mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn")
        default: refusal("mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP")
        }
    }

    var all: [Route] {
        let refused: [(path: String, asker: Asker, refusal: FarewellError)] = [
            ("/sso", .anyone, Self.saml), ("/admin/sso", .administrator, Self.saml),
            ("/authorize", .anyone, Self.provider), ("/callback", .anyone, Self.callback),
            ("/invite", .administrator, Self.invitation), ("/admin/invite", .administrator, Self.invitation),
            ("/generate_link", .administrator, Self.link), ("/admin/generate_link", .administrator, Self.link),
            ("/user/identities", .person, Self.linking), ("/user/oauth", .person, Self.oauth),
            ("/passkeys", .anyone, Self.passkey), ("/oauth", .anyone, Self.oauth),
            ("/admin/oauth", .administrator, Self.oauth), ("/.well-known/openid-configuration", .anyone, Self.oauth),
            ("/.well-known/oauth-authorization-server", .anyone, Self.oauth),
            ("/admin/custom-providers", .administrator, Self.customProvider),
            ("/admin/audit", .administrator, Self.audit),
            ("/admin/users/{id}/passkeys", .administratorOfUser, Self.passkey),
        ]
        return refused.flatMap { everywhere($0.path, $0.asker, $0.refusal) } + factors + userFactors
    }

    /// One of the second factors that no user has (`AuthRoutes.userFactors` lists them).
    private var userFactors: [Route] {
        Self.methods.map { method in
            route(method, "/admin/users/{id}/factors/{factor}", .administratorOfUser) { call in
                guard call.identifier("factor") != nil else {
                    throw ErrorWithStatus(.notFound, call.refuse("factor_id must be an UUID"))
                }
                return Self.factor
            }
        }
    }

    /// No user has a second factor, and none can get one.
    private var factors: [Route] {
        Self.methods.map { method in
            route(method, "/factors", .person) { call in
                Self.enrolment(try? await call.membersIfAny().text("factor_type"))
            }
        } + below("/factors", .person, Self.factor)
    }

    private func everywhere(_ path: String, _ asker: Asker, _ refusal: FarewellError) -> [Route] {
        Self.methods.map { route($0, path, asker) { _ in refusal } } + below(path, asker, refusal)
    }

    private func below(_ path: String, _ asker: Asker, _ refusal: FarewellError) -> [Route] {
        Self.methods.map { route($0, path + "/**", asker) { _ in refusal } }
    }

    private func route(
        _ method: HTTPRequest.Method, _ path: String, _ asker: Asker,
        _ refusal: @escaping @Sendable (RouteCall) async throws -> FarewellError
    ) -> Route {
        Route(
            method, AuthRoutes.root + path,
            RouteOperation(
                id: "unoffered \(method.rawValue) \(path)", summary: "Not offered", tag: "auth", answers: [:]),
            limit: .address, place: asker == .administratorOfUser ? .named : .caller
        ) { call in
            switch asker {
            case .anyone: break
            case .person: _ = try await auth.caller(call)
            case .administrator: _ = try await auth.authority.administrator(try call.bearerToken())
            case .administratorOfUser: _ = try await auth.administered(call)
            }
            throw try await refusal(call)
        }
    }
}
