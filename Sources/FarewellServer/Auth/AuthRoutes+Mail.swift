// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// Codes by mail: requesting and verifying them.
extension AuthRoutes {
    var mail: [Route] { [verification, link, recovery, repetition] + ["otp", "magiclink"].map(unoffered) }

    private var verification: Route {
        Route(
            .post, Self.root + "/verify",
            RouteOperation(
                id: "verify", summary: "Start a session with a code from a mail", tag: "auth",
                body: .init(schema: .named("Verification")),
                answers: [200: .init(meaning: "The session.", schema: .named("Token"))],
                refusals: [
                    400: [
                        "bad_json", "invalid_credentials", "phone_provider_disabled", "user_banned",
                        "validation_failed",
                    ],
                    403: ["otp_expired"], 422: ["email_exists", "otp_disabled"],
                ]),
            limit: .address, place: .grant
        ) { call in
            let body = try await call.members()
            let purpose = try purpose(try body.text("type") ?? "", call)
            guard (try body.text("phone") ?? "").isEmpty else { throw Self.noPhone }
            let grant = try await authority.signIn(
                purpose, by: try proof(body, call), device: call.device, source: call.source)
            return call.begun(grant, by: "code")
        }
    }

    private func proof(_ body: JSONMembers, _ call: RouteCall) throws -> CodeProof {
        let (email, code) = (try body.text("email") ?? "", try body.text("token") ?? "")
        if let token = try body.text("token_hash"), !token.isEmpty {
            guard email.isEmpty, code.isEmpty else {
                throw call.refuse("Only the token_hash and type should be provided")
            }
            return .token(token)
        }
        guard !code.isEmpty else { throw call.refuse("Verify requires either a token or a token hash") }
        guard !email.isEmpty else {
            throw call.refuse("Only an email address or phone number should be provided on verify")
        }
        return .code(code, email: email)
    }

    func purpose(_ type: String, _ call: RouteCall) throws -> MailPurpose {
        switch type {
        case "signup", "email": return .signUp
        case "recovery": return .recovery
        case "email_change": return .emailChange
        case "magiclink", "invite": throw Self.noSignInByMail
        case "sms", "phone_change": throw Self.noPhone
        case "": throw call.refuse("Verify requires a verification type")
        default: throw call.refuse("Unsupported verification type")
        }
    }

    private static let noPhone = FarewellError(
        "auth.phone_provider_disabled", .yoursToFix, "Unsupported phone provider")
    private static let noSignInByMail = FarewellError(
        "auth.otp_disabled", .yoursToFix, AuthorityRefusal.otpDisabled.message)

    private var recovery: Route {
        Route(
            .post, Self.root + "/recover",
            RouteOperation(
                id: "recover", summary: "Send a code to a user who forgot the password", tag: "auth",
                parameters: [Self.redirectParameter], body: .init(schema: .named("Recovery")),
                answers: [200: .init(meaning: "The code is on its way if such a user exists.", schema: .anyObject)],
                refusals: [
                    400: ["bad_json", "email_address_invalid", "validation_failed"],
                    422: ["email_provider_disabled"], 429: ["over_email_send_rate_limit"],
                ]),
            limit: .address
        ) { call in
            let body = try await call.members()
            guard let email = try body.text("email"), !email.isEmpty else {
                throw call.refuse("Password recovery requires an email")
            }
            try await authority.sendCode(
                .recovery, to: email, source: call.source, returning: try mailReturn(body, call))
            return .json([String: String]())
        }
    }

    private var repetition: Route {
        Route(
            .post, Self.root + "/resend",
            RouteOperation(
                id: "resend", summary: "Send the code of a sign-up or of a new address again", tag: "auth",
                parameters: [Self.redirectParameter], body: .init(schema: .named("Resend")),
                answers: [200: .init(meaning: "The code is on its way if one was pending.", schema: .anyObject)],
                refusals: [
                    400: ["bad_json", "email_address_invalid", "phone_provider_disabled", "validation_failed"],
                    422: ["email_provider_disabled"], 429: ["over_email_send_rate_limit"],
                ]),
            limit: .address
        ) { call in
            let body = try await call.members()
            guard (try body.text("phone") ?? "").isEmpty else { throw Self.noPhone }
            let purpose: MailPurpose
            switch try body.text("type") ?? "" {
            case "signup": purpose = .signUp
            case "email_change": purpose = .emailChange
            case "sms", "phone_change": throw Self.noPhone
            case "": throw call.refuse("Missing one of these types: signup, email_change, sms, phone_change")
            default: throw call.refuse("Unsupported type")
            }
            guard let email = try body.text("email"), !email.isEmpty else {
                throw call.refuse("Type provided requires an email address")
            }
            try await authority.sendCode(
                purpose, to: email, source: call.source, returning: try mailReturn(body, call))
            return .json([String: String]())
        }
    }

    /// A route of the contract that this server does not offer; it says so to every caller.
    private func unoffered(_ name: String) -> Route {
        Route(
            .post, Self.root + "/" + name,
            RouteOperation(
                id: name, summary: "Refused: this server offers no sign-in by mail alone", tag: "auth",
                body: .init(schema: .anyObject, isRequired: false),
                answers: [422: .init(meaning: "The server does not offer it.", schema: .named("Refusal"))],
                refusals: [422: ["otp_disabled"]], reads: .nothing),
            limit: .address
        ) { _ in throw Self.noSignInByMail }
    }
}
