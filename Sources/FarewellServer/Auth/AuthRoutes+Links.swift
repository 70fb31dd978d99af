// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The link of a mail according to the contract: `GET /verify` uses the token and leads to the app. The session, or the
/// error, is in the fragment; if the mail was requested with a challenge, an authorization code is in the query. Our
/// own mails lead to a page with a button, if there are pages.
extension AuthRoutes {
    var link: Route {
        Route(
            .get, Self.root + "/verify",
            RouteOperation(
                id: "verifyLink", summary: "Use the link of a mail; the answer redirects to the app", tag: "auth",
                parameters: [
                    .init(
                        name: "token", place: .query, schema: .text, isRequired: true,
                        meaning: "The token_hash of the link."),
                    .init(
                        name: "type", place: .query, schema: .text, isRequired: true,
                        meaning: "The purpose of the link, such as signup or recovery."),
                    .init(
                        name: "redirect_to", place: .query, schema: .text,
                        meaning: "The address to redirect to; by default mail.site."),
                ],
                answers: [
                    303: .init(
                        meaning: """
                            A redirect; its fragment holds the session, or error and error_code. After a request with \
                            code_challenge its query holds code, for grant_type=pkce.
                            """)
                ], refusals: [400: ["validation_failed"]]),
            limit: .address, place: .grant
        ) { call in
            guard let token = call.query["token"], !token.isEmpty else {
                throw call.refuse("Verify requires a token or a token hash")
            }
            guard let type = call.query["type"], !type.isEmpty else {
                throw call.refuse("Verify requires a verification type")
            }
            let target = redirects.target(call.query["redirect_to"])
            // A HEAD request uses nothing up.
            guard call.method != .head else { return Response(status: .ok) }
            do {
                let outcome = try await authority.follow(
                    try purpose(type, call), token: token, device: call.device, source: call.source)
                switch outcome {
                case .session(let grant):
                    call.report("signed in", of: grant.sessionID, ["method": "link"])
                    return Self.onward(target, Self.fields(of: grant, type))
                case .code(let code): return call.leading(to: target, code: code)
                }
            } catch let error as FarewellError where error.family == .yoursToFix {
                let answer = ErrorAnswer(error)
                call.log.info("refused", metadata: ["code": "\(answer.code)"])
                return Self.onward(target, Self.fields(of: answer))
            }
        }
    }

    private var redirects: RedirectRule { RedirectRule(server.settings, issuer: authority.settings.issuer) }

    /// How the link of a mail leads back to the app that requests the mail (contract, 1.6).
    ///
    /// - Throws: `validation_failed`.
    func mailReturn(_ body: JSONMembers, _ call: RouteCall) throws -> MailReturn {
        let method = try body.text("code_challenge_method")
        guard let challenge = try CodeChallenge(try body.text("code_challenge"), method: method) else {
            return MailReturn()
        }
        guard let wanted = call.query["redirect_to"], !wanted.isEmpty else { return MailReturn(challenge: challenge) }
        let target = redirects.target(wanted)
        guard FormFields.written(target).utf8.count <= Self.longestReturn else {
            throw call.refuse("redirect_to has at most \(Self.longestReturn) bytes in its encoded form")
        }
        return MailReturn(to: target, challenge: challenge)
    }

    /// A line of a mail has 998 bytes at most (RFC 5322, 2.1.1), and a link stands on one.
    private static let longestReturn = 640

    /// The parameter of routes that request a mail.
    static let redirectParameter = RouteOperation.Parameter(
        name: "redirect_to", place: .query, schema: .text,
        meaning: "Beside code_challenge: the address to which the mail's link leads; by default mail.site.")

    private static func fields(of grant: SessionGrant, _ type: String) -> [String: String] {
        [
            "access_token": grant.accessToken, "expires_at": String(Int64(grant.expiresAt.timeIntervalSince1970)),
            "expires_in": String(grant.expiresIn), "refresh_token": grant.refreshToken, "token_type": "bearer",
            "type": type, "sb": "",
        ]
    }

    /// The names of OAuth errors by their status, as in the contract.
    private static let errors: [Int: String] = [
        400: "invalid_request", 401: "unauthorized_client", 403: "access_denied", 500: "server_error",
        503: "temporarily_unavailable",
    ]

    private static func fields(of answer: ErrorAnswer) -> [String: String] {
        var fields = ["error_code": answer.code, "error_description": answer.message, "sb": ""]
        fields["error"] = errors[answer.status.code]
        return fields
    }

    private static func onward(_ target: String, _ fields: [String: String]) -> Response {
        Response(status: .seeOther, headers: [.location: "\(target)#\(FormFields.written(fields))"])
    }
}

extension RouteCall {
    /// The redirect to an app that exchanges an authorization code for a session.
    func leading(to target: String, code: String) -> Response {
        report("link opened", of: nil, ["method": "pkce"])
        return Response(status: .seeOther, headers: [.location: RedirectRule.address(target, code: code)])
    }
}
