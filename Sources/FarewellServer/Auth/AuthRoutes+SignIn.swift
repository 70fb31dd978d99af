// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Coming in: sign-up and the grants of `/token`.
extension AuthRoutes {
    var signUp: Route {
        Route(
            .post, Self.root + "/signup",
            RouteOperation(
                id: "signUp", summary: "Sign up a user", tag: "auth", parameters: [Self.redirectParameter],
                body: .init(schema: .named("SignUp")),
                answers: [
                    200: .init(
                        meaning: "A session; or only the user, if the address must be confirmed first.",
                        schema: .anyOf([.named("Token"), .named("User")]))
                ],
                refusals: [
                    400: [
                        "bad_json", "email_address_invalid", "invalid_credentials", "phone_provider_disabled",
                        "user_banned", "validation_failed",
                    ],
                    422: [
                        "anonymous_provider_disabled", "signup_disabled", "user_already_exists", "weak_password",
                    ],
                ]),
            limit: .address, place: .grant
        ) { call in
            let body = try await call.members()
            let request = SignUpRequest(
                email: try body.text("email"), phone: try body.text("phone"), password: try body.text("password"),
                metadata: try body.object("data") ?? [:], mailReturn: try mailReturn(body, call))
            if request.email?.isEmpty == false, server.settings.signsUpOnlyHere, call.isForwarded {
                call.log.error("\(Self.signUpBehindProxy)")
                throw Self.signUpBehindProxy
            }
            let outcome = try await explainingWeakness(of: request.password) {
                try await authority.signUp(request, device: call.device, source: call.source)
            }
            switch outcome {
            case .session(let grant):
                return call.begun(grant, by: (request.email ?? "").isEmpty ? "anonymous" : "sign-up")
            case .user(let user): return .json(user)
            }
        }
    }

    /// A sign-up of a stranger would reveal whether an address is taken.
    private static let signUpBehindProxy = FarewellError(
        "auth.signup_disabled", .yoursToFix,
        "Sign-up is closed: the call came through a proxy, and tokens.issuer names this machine only.",
        remedy: "Set tokens.issuer to the public address, or choose people.email-confirmation.")

    var token: Route {
        Route(
            .post, Self.root + "/token",
            RouteOperation(
                id: "token", summary: "Start a session by password, refresh token, identity token or code", tag: "auth",
                parameters: [
                    .init(
                        name: "grant_type", place: .query,
                        schema: .oneOfTexts(["password", "refresh_token", "id_token", "pkce"]), isRequired: true,
                        meaning: "The kind of credential."),
                    .init(
                        name: "X-Farewell-Refresh-Nonce", place: .header, schema: .text,
                        meaning:
                            "The same as the member `nonce`; it makes a refresh repeatable."),
                    .init(
                        name: "X-Farewell-Device-Key", place: .header, schema: .text,
                        meaning:
                            "A secret of the device, 22 to 128 bytes; it has its own password attempts."
                    ),
                ],
                body: .init(schema: .named("Grant")),
                answers: [200: .init(meaning: "The session.", schema: .named("Token"))],
                refusals: [
                    400: RouteOperation.identityTokens.union([
                        "bad_code_verifier", "bad_json", "email_not_confirmed", "invalid_credentials",
                        "phone_provider_disabled", "refresh_token_already_used", "refresh_token_not_found",
                        "session_expired", "session_not_found", "user_banned", "validation_failed",
                    ]),
                    404: ["flow_state_not_found"], 409: ["conflict"],
                    422: ["flow_state_expired", "signup_disabled"],
                ]),
            limit: .address, place: .grant
        ) { call in
            switch call.query["grant_type"] ?? "" {
            case "password": try await withPassword(call)
            case "refresh_token": try await withRefreshToken(call)
            case "id_token": try await withIdentityToken(call)
            case "pkce": try await withAuthorizationCode(call)
            default:
                throw FarewellError("auth.invalid_credentials", .yoursToFix, "unsupported_grant_type")
            }
        }
    }

    private func withPassword(_ call: RouteCall) async throws -> Response {
        let body = try await call.members()
        let email = try body.text("email") ?? ""
        guard try !email.isEmpty || (body.text("phone") ?? "").isEmpty else {
            throw FarewellError("auth.phone_provider_disabled", .yoursToFix, "Phone logins are disabled")
        }
        let grant = try await authority.signIn(
            email: email, password: try body.text("password") ?? "", device: call.device,
            source: call.source)
        return call.begun(grant, by: "password", namesWeakPassword: true)
    }

    private func withRefreshToken(_ call: RouteCall) async throws -> Response {
        let body = try await call.members()
        guard let token = try body.text("refresh_token"), !token.isEmpty else {
            throw call.refuse("refresh_token required")
        }
        let nonce = try body.text("nonce") ?? call.headers[.refreshNonce]
        let grant = try await authority.refresh(token, nonce: nonce, device: call.device)
        var response = TokenAnswer(grant: grant, namesWeakPassword: false).response
        if grant.isRepeated {
            response.headers[.refreshReuse] = "true"
            response.headers[.refreshReuseCause] = grant.repetitions.map(\.rawValue).joined(separator: ",")
        }
        return response
    }

    private func withIdentityToken(_ call: RouteCall) async throws -> Response {
        let body = try await call.members()
        guard let token = try body.text("id_token"), !token.isEmpty, let provider = try body.text("provider") else {
            throw call.refuse("id_token and provider required")
        }
        let grant = try await authority.signIn(
            IdentityTokenRequest(
                provider: provider, token: token, nonce: try body.text("nonce"),
                authorizationCode: try body.text("authorization_code")), device: call.device, source: call.source)
        return call.begun(grant, by: "id_token")
    }

    /// The session of a link that an app has opened (PKCE, RFC 7636).
    private func withAuthorizationCode(_ call: RouteCall) async throws -> Response {
        let body = try await call.members()
        let (code, verifier) = (try body.text("auth_code") ?? "", try body.text("code_verifier") ?? "")
        guard !code.isEmpty, !verifier.isEmpty else { throw call.refuse("auth_code and code_verifier required") }
        let grant = try await authority.signIn(
            authorizationCode: code, verifier: verifier, device: call.device, source: call.source)
        return call.begun(grant, by: "pkce")
    }
}
