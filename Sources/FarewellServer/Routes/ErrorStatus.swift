// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// The one table from error codes to HTTP: the Supabase Auth contract for its own codes, the family for others.
enum ErrorStatus {
    /// `auth.` and the contract's code, with the status the contract's code (not its document) answers.
    static let contract: [String: HTTPResponse.Status] = [
        "anonymous_provider_disabled": .unprocessableContent,
        "bad_code_verifier": .badRequest,
        "bad_json": .badRequest,
        "bad_request": .badRequest,
        "bad_jwt": .forbidden,
        "bad_jwt.subject": .badRequest,
        "bad_oauth_callback": .badRequest,
        "conflict": .conflict,
        "current_password_invalid": .badRequest,
        "current_password_required": .badRequest,
        "email_address_invalid": .badRequest,
        "email_exists": .unprocessableContent,
        "email_not_confirmed": .badRequest,
        "email_provider_disabled": .unprocessableContent,
        "feature_disabled": .notFound,
        "flow_state_expired": .unprocessableContent,
        "flow_state_not_found": .notFound,
        "identity_already_exists": .unprocessableContent,
        "identity_not_found": .notFound,
        "insufficient_aal": .unauthorized,
        "invalid_credentials": .badRequest,
        "manual_linking_disabled": .notFound,
        "method_not_allowed": .methodNotAllowed,
        "mfa_factor_not_found": .notFound,
        "mfa_phone_enroll_not_enabled": .unprocessableContent,
        "mfa_totp_enroll_not_enabled": .unprocessableContent,
        "mfa_webauthn_enroll_not_enabled": .unprocessableContent,
        "no_authorization": .unauthorized,
        "misdirected_request": .misdirectedRequest,
        "not_admin": .forbidden,
        "not_found": .notFound,
        "oauth.invalid_nonce": .badRequest,
        "oauth.invalid_request": .badRequest,
        "otp_disabled": .unprocessableContent,
        "otp_expired": .forbidden,
        "over_email_send_rate_limit": .tooManyRequests,
        "over_request_rate_limit": .tooManyRequests,
        "over_sms_send_rate_limit": .tooManyRequests,
        "overloaded": .serviceUnavailable,
        "passkey_disabled": .notFound,
        "phone_exists": .unprocessableContent,
        "phone_not_confirmed": .badRequest,
        "phone_provider_disabled": .badRequest,
        "provider_disabled": .badRequest,
        "reauthentication_needed": .badRequest,
        "reauthentication_not_valid": .unprocessableContent,
        "refresh_token_already_used": .badRequest,
        "refresh_token_not_found": .badRequest,
        "request_entity_too_large": .contentTooLarge,
        "request_header_fields_too_large": .requestHeaderFieldsTooLarge,
        "request_timeout": .gatewayTimeout,
        "same_password": .unprocessableContent,
        "saml_provider_disabled": .notFound,
        "session_expired": .forbidden,
        "session_not_found": .forbidden,
        "signup_disabled": .unprocessableContent,
        "single_identity_not_deletable": .unprocessableContent,
        "unexpected_audience": .badRequest,
        "unexpected_failure": .internalServerError,
        "user_already_exists": .unprocessableContent,
        "user_banned": .forbidden,
        "user_not_found": .forbidden,
        "user_sso_managed": .unprocessableContent,
        "validation_failed": .badRequest,
        "weak_password": .unprocessableContent,
    ]

    /// The erasure errors that callers may see, with their status.
    static let erasures: [String: HTTPResponse.Status] = [
        "erasure.busy": .serviceUnavailable,
        "erasure.cancelled": .conflict,
        "erasure.clock": .serviceUnavailable,
        "erasure.held": .conflict,
        "erasure.key-missing": .badRequest,
        "erasure.key-reused": .unprocessableContent,
        "erasure.malformed": .badRequest,
        "erasure.message-malformed": .badRequest,
        "erasure.message-unsigned": .unauthorized,
        "erasure.no-receipt": .notFound,
        "erasure.not-found": .notFound,
        "erasure.sign-in-stale": .forbidden,
        "erasure.step-up-invalid": .forbidden,
        "erasure.too-late": .conflict,
        "erasure.too-often": .tooManyRequests,
        "erasure.unknown": .notFound,
    ]

    /// The errors of exports that callers may see, with their status.
    static let exports: [String: HTTPResponse.Status] = [
        "export.busy": .serviceUnavailable,
        "export.erasing": .conflict,
        "export.live": .conflict,
        "export.not-found": .notFound,
        "export.not-ready": .conflict,
        "export.nothing": .notFound,
    ]

    /// The place of an error: the same error has another status for a caller who shows a token than for one who
    /// requests one.
    enum Place: Sendable, Hashable {
        case caller
        /// A sign-in or a refresh.
        case grant
        /// An operator who names a user, a user who names a session.
        case named
    }

    private static let elsewhere: [Place: [String: HTTPResponse.Status]] = [
        .grant: [
            "session_expired": .badRequest, "session_not_found": .badRequest, "user_banned": .badRequest,
            "user_not_found": .badRequest,
        ],
        .named: ["session_not_found": .notFound, "user_not_found": .notFound],
    ]

    /// Prefixes of our own codes that callers receive unchanged.
    private static let ownKinds = ["erasure.", "export.", "token.", "page."]

    /// The contract's code of an error, e.g. `session_not_found`. An error that concerns neither a session nor a user
    /// has no code there and is `unexpected_failure`.
    static func code(of error: FarewellError) -> String {
        let raw = error.code.rawValue
        if Self.ownKinds.contains(where: raw.hasPrefix) { return raw }
        if raw == "auth.bad_jwt.subject" { return "bad_jwt" }
        return raw.hasPrefix("auth.") ? String(raw.dropFirst("auth.".count)) : "unexpected_failure"
    }

    /// Seconds after which another attempt may help: 1 where only the moment is bad, a minute where an operator has to
    /// act first. nil for an error that no attempt changes.
    static func pause(after code: String, _ status: HTTPResponse.Status) -> Int? {
        guard status == .serviceUnavailable else { return nil }
        return ["erasure.clock", "erasure.identifier-form", "erasure.plan-unfit"].contains(code) ? 60 : 1
    }

    /// An unavailable database is temporary; a wrong configuration is not the caller's fault.
    static func status(of error: FarewellError, at place: Place = .caller) -> HTTPResponse.Status {
        if error.code.rawValue.hasPrefix("auth.") {
            let code = String(error.code.rawValue.dropFirst("auth.".count))
            if let status = elsewhere[place]?[code] ?? contract[code] { return status }
        }
        if let status = erasures[error.code.rawValue] ?? exports[error.code.rawValue] { return status }
        return error.family == .tryAgain ? .serviceUnavailable : .internalServerError
    }
}
