// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of the session authority. Callers see the Supabase Auth contract's code, without `auth.`.
extension ErrorMeaning {
    static let auth: [ErrorMeaning] = [
        .init(
            "auth.anonymous_provider_disabled", .yoursToFix, "The server allows no anonymous users.",
            "Set people.anonymous to allowed."),
        .init(
            "auth.bad_code_verifier", .yoursToFix,
            "The code verifier does not belong to the challenge with which the mail was requested.",
            "Open the link in the app, and on the device, that requested the mail."),
        .init(
            "auth.bad_json", .yoursToFix, "The body is no valid JSON, or a member has the wrong type.",
            "Correct the body."),
        .init(
            "auth.bad_jwt", .yoursToFix, "The access token is not valid.", "Refresh the session, or sign in again."),
        .init(
            "auth.bad_jwt.subject", .yoursToFix, "The token's sub is no UUID. Callers see bad_jwt.",
            "Use a token of a user."),
        .init(
            "auth.bad_oauth_callback", .yoursToFix, "This server offers no OAuth callback.",
            "Sign in with an identity token instead."),
        .init(
            "auth.bad_request", .yoursToFix, "The request is no valid HTTP.",
            "Correct the request; it needs one field Host."),
        .init("auth.conflict", .tryAgain, "Another call changed the same thing at the same time.", "Try again."),
        .init(
            "auth.current_password_invalid", .yoursToFix, "The current password is wrong.",
            "Ask the user for it again."),
        .init(
            "auth.current_password_required", .yoursToFix, "A change of password needs the current password.",
            "Send current_password."),
        .init("auth.email_address_invalid", .yoursToFix, "The e-mail address is not valid.", "Correct the address."),
        .init("auth.email_exists", .yoursToFix, "Another user has this e-mail address.", "Use another address."),
        .init(
            "auth.email_not_confirmed", .yoursToFix, "The e-mail address is not confirmed yet.",
            "Follow the link in the mail."),
        .init(
            "auth.email_provider_disabled", .yoursToFix, "This server offers no sign-up by e-mail.",
            "Ask an operator for an account."),
        .init(
            "auth.feature_disabled", .yoursToFix, "This server does not offer the route.",
            "Use another route; docs/http.md lists all."),
        .init(
            "auth.flow_state_expired", .yoursToFix, "The authorization code of a link is older than five minutes.",
            "Request a new mail."),
        .init(
            "auth.flow_state_not_found", .yoursToFix,
            "The authorization code of a link is unknown, was used, or ended with the user's other sessions.",
            "Request a new mail."),
        .init(
            "auth.identity_already_exists", .yoursToFix, "The identity belongs to a user already.",
            "Sign in with it."),
        .init("auth.identity_not_found", .yoursToFix, "The user has no such identity.", "Check the identifier."),
        .init("auth.insufficient_aal", .yoursToFix, "The session's assurance level is too low.", "Sign in again."),
        .init(
            "auth.invalid_credentials", .yoursToFix,
            "The address or password is wrong, or the grant type is unknown.", "Check both."),
        .init(
            "auth.manual_linking_disabled", .yoursToFix, "This server does not link identities on request.",
            "Sign in with the identity."),
        .init(
            "auth.method_not_allowed", .yoursToFix, "The path does not support this method.",
            "Use a method that the field Allow names."),
        .init("auth.mfa_factor_not_found", .yoursToFix, "No user has a second factor here.", "Leave the factor out."),
        .init(
            "auth.mfa_phone_enroll_not_enabled", .yoursToFix, "This server offers no second factor by phone.",
            "Leave the factor out."),
        .init(
            "auth.mfa_totp_enroll_not_enabled", .yoursToFix, "This server offers no second factor by TOTP.",
            "Leave the factor out."),
        .init(
            "auth.mfa_webauthn_enroll_not_enabled", .yoursToFix, "This server offers no second factor by WebAuthn.",
            "Leave the factor out."),
        .init(
            "auth.misdirected_request", .yoursToFix, "The request names a host that the server does not accept.",
            "Add the name to http.accepted-hosts."),
        .init(
            "auth.no_authorization", .yoursToFix, "The access token is missing.",
            "Send it as Authorization: Bearer."),
        .init("auth.not_admin", .yoursToFix, "The token's role may not administer users.", "Use the operators' key."),
        .init("auth.not_found", .yoursToFix, "No route has this path.", "Check the path; docs/http.md lists all."),
        .init(
            "auth.oauth.invalid_nonce", .yoursToFix, "The nonce does not match the identity token.",
            "Send the nonce of the sign-in."),
        .init(
            "auth.oauth.invalid_request", .yoursToFix, "The identity token is not acceptable.",
            "Check apple.client-ids or google.client-ids."),
        .init(
            "auth.otp_disabled", .yoursToFix, "This server offers no sign-in by mail alone.",
            "Sign in by password or identity token."),
        .init("auth.otp_expired", .yoursToFix, "The code or link has expired or is wrong.", "Request a new one."),
        .init("auth.over_email_send_rate_limit", .tryAgain, "Mails were requested too often.", "Wait 60 seconds."),
        .init("auth.over_request_rate_limit", .tryAgain, "Too many calls.", "Wait for the time in Retry-After."),
        .init(
            "auth.over_sms_send_rate_limit", .tryAgain, "Messages were requested too often. This server sends none.",
            "Use another way to sign in."),
        .init(
            "auth.overloaded", .tryAgain, "The server has too many followers, or too much work now.", "Try again later."
        ),
        .init("auth.passkey_disabled", .yoursToFix, "This server offers no passkeys.", "Use another way to sign in."),
        .init("auth.phone_exists", .yoursToFix, "Another user has this phone number.", "Use another number."),
        .init(
            "auth.phone_not_confirmed", .yoursToFix, "The phone number is not confirmed.",
            "Use another way to sign in."),
        .init(
            "auth.phone_provider_disabled", .yoursToFix, "This server offers no sign-in by phone.",
            "Use another way to sign in."),
        .init("auth.provider_disabled", .yoursToFix, "The provider is not enabled.", "Set its client identifiers."),
        .init(
            "auth.reauthentication_needed", .yoursToFix, "The change needs a code by mail.",
            "Call /auth/v1/reauthenticate, and send the code as nonce."),
        .init(
            "auth.reauthentication_not_valid", .yoursToFix, "The code for the change is wrong or has expired.",
            "Request a new one."),
        .init(
            "auth.refresh_token_already_used", .yoursToFix,
            "The refresh token was used before, so its session has ended.", "Sign in again."),
        .init("auth.refresh_token_not_found", .yoursToFix, "The refresh token does not exist.", "Sign in again."),
        .init(
            "auth.request_entity_too_large", .yoursToFix, "The body is too long, or comes in too many small chunks.",
            "Send a shorter body with Content-Length."),
        .init(
            "auth.request_header_fields_too_large", .yoursToFix, "The header fields of the request are too long.",
            "Send fewer or shorter fields, such as cookies, or raise limits.header-bytes."),
        .init("auth.request_timeout", .tryAgain, "The call took too long.", "Try again."),
        .init("auth.same_password", .yoursToFix, "The new password is the old one.", "Choose another password."),
        .init(
            "auth.saml_provider_disabled", .yoursToFix, "This server offers no SAML.", "Use another way to sign in."),
        .init("auth.session_expired", .yoursToFix, "The session has expired.", "Sign in again."),
        .init("auth.session_not_found", .yoursToFix, "The session has ended.", "Sign in again."),
        .init(
            "auth.signup_disabled", .yoursToFix, "The server accepts no new users.",
            "Set people.sign-up to open, or create the user as an operator."),
        .init(
            "auth.single_identity_not_deletable", .yoursToFix, "The user's only identity cannot be deleted.",
            "Delete the user instead."),
        .init(
            "auth.unexpected_audience", .yoursToFix, "The token's audience differs from the request's.",
            "Use a token for this server."),
        .init(
            "auth.unexpected_failure", .ours, "The server failed unexpectedly.",
            "Look in the log for the X-Request-Id of the answer."),
        .init(
            "auth.user_already_exists", .yoursToFix, "A user with this address exists already.", "Sign in instead."),
        .init("auth.user_banned", .yoursToFix, "The user is banned.", "An operator can lift the ban."),
        .init("auth.user_not_found", .yoursToFix, "The user does not exist.", "Check the identifier."),
        .init(
            "auth.user_sso_managed", .yoursToFix,
            "The user is managed by single sign-on. This server has no such users.", "Check the identifier."),
        .init(
            "auth.validation_failed", .yoursToFix, "A member of the request is missing or not valid.",
            "Correct the member that the message names."),
        .init(
            "auth.weak_password", .yoursToFix, "The password is too short or too weak.", "Choose a longer password."),
    ]
}
