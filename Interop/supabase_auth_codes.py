# SPDX-License-Identifier: Apache-2.0
"""Every error code that the published client `supabase-auth` knows: which run of supabase_auth_contract.py reads it from
a server, or why none gives it. A code that a later client adds is in neither list until a maintainer adds it.
"""

from typing import get_args

from supabase_auth.errors import ErrorCode

# Read from servers that send no mail.
WITHOUT_MAIL = {
    "anonymous_provider_disabled", "bad_json", "bad_jwt", "conflict", "email_exists", "email_not_confirmed",
    "email_provider_disabled", "invalid_credentials", "manual_linking_disabled", "mfa_factor_not_found",
    "mfa_phone_enroll_not_enabled", "mfa_totp_enroll_not_enabled", "no_authorization", "not_admin", "otp_disabled",
    "over_request_rate_limit", "phone_exists", "phone_provider_disabled", "provider_disabled", "request_timeout",
    "same_password", "saml_provider_disabled", "session_not_found", "signup_disabled", "unexpected_failure", "user_already_exists", "user_banned",
    "user_not_found", "validation_failed", "weak_password",
    # The client's own word for text that is no token; it calls no server.
    "invalid_jwt",
}

# Read from a server that sends mail.
WITH_MAIL = {
    "bad_code_verifier", "email_address_invalid", "flow_state_not_found", "otp_expired", "over_email_send_rate_limit",
    "reauthentication_needed", "reauthentication_not_valid",
}

# Codes of the contract that the client passes on although its list lacks them.
UNLISTED = {"feature_disabled", "refresh_token_already_used", "refresh_token_not_found", "session_expired"}

# The feature that is not offered here, or the reason that the contract does not need the code.
NEVER = {
    "second factors: the client's code is that none can be had": {
        "insufficient_aal", "mfa_challenge_expired", "mfa_factor_name_conflict",
        "mfa_ip_address_mismatch", "mfa_phone_verify_not_enabled", "mfa_totp_verify_not_enabled", "mfa_verification_failed",
        "mfa_verification_rejected", "mfa_verified_factor_exists", "mfa_webauthn_enroll_not_enabled",
        "mfa_webauthn_verify_not_enabled", "too_many_enrolled_mfa_factors",
    },
    "single sign-on by SAML": {
        "saml_assertion_no_email", "saml_assertion_no_user_id", "saml_entity_id_mismatch", "saml_idp_already_exists",
        "saml_idp_not_found", "saml_metadata_fetch_failed", "saml_relay_state_expired",
        "saml_relay_state_not_found", "sso_domain_already_exists", "sso_provider_not_found", "user_sso_managed",
    },
    "sign-in by redirects to providers (OAuth): Apple and Google sign in by identity tokens": {
        "bad_oauth_callback", "bad_oauth_state", "oauth_provider_not_supported", "provider_email_needs_verification",
    },
    "given after five minutes, for which this program does not wait": {"flow_state_expired"},
    "sign-in by telephone: an operator may write a number down, and nothing is sent to it": {
        "over_sms_send_rate_limit", "phone_not_confirmed", "sms_send_failed",
    },
    "linking and unlinking identities": {
        "email_conflict_identity_not_deletable", "identity_already_exists", "identity_not_found",
        "single_identity_not_deletable",
    },
    "invitations": {"invite_not_found"},
    "captchas": {"captcha_failed"},
    "hooks that are asked before an answer: the one for mail is called later, from an outbox": {
        "hook_payload_invalid_content_type", "hook_payload_over_size_limit", "hook_timeout", "hook_timeout_after_retry",
    },
    "a list of the only addresses that mail goes to": {"email_address_not_authorized"},
    "told as validation_failed by the contract": {"unexpected_audience"},
    "told as reauthentication_needed by the contract": {"reauth_nonce_missing"},
}


def faults():
    """The differences between these lists and the client's own."""
    never = [code for codes in NEVER.values() for code in codes]
    told = [*WITHOUT_MAIL, *WITH_MAIL, *never]
    known = set(get_args(ErrorCode))
    return {
        "in no list": sorted(known - set(told)),
        "unknown to the client": sorted(set(told) - known),
        "listed by the client by now": sorted(UNLISTED & known),
        "in two lists": sorted({code for code in told if told.count(code) > 1}),
    }
