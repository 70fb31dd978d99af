// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// Why the session authority refuses, in the codes of the Supabase Auth contract (1.2).
///
/// The error's code is `auth.` and the raw value. HTTP statuses are the server's business.
public enum AuthorityRefusal: String, Sendable, Hashable, CaseIterable {
    case validationFailed = "validation_failed"
    case badJWT = "bad_jwt"
    /// A valid token whose `sub` is not a UUID: callers also see `bad_jwt`, with another status (contract, 1.1).
    case badSubject = "bad_jwt.subject"
    case invalidCredentials = "invalid_credentials"
    case emailExists = "email_exists"
    case phoneExists = "phone_exists"
    case userAlreadyExists = "user_already_exists"
    case userNotFound = "user_not_found"
    case userBanned = "user_banned"
    case sessionNotFound = "session_not_found"
    case sessionExpired = "session_expired"
    case refreshTokenNotFound = "refresh_token_not_found"
    case refreshTokenAlreadyUsed = "refresh_token_already_used"
    case signUpDisabled = "signup_disabled"
    case anonymousProviderDisabled = "anonymous_provider_disabled"
    case emailProviderDisabled = "email_provider_disabled"
    case phoneProviderDisabled = "phone_provider_disabled"
    case providerDisabled = "provider_disabled"
    case emailNotConfirmed = "email_not_confirmed"
    case emailAddressInvalid = "email_address_invalid"
    case weakPassword = "weak_password"
    case samePassword = "same_password"
    case currentPasswordRequired = "current_password_required"
    case currentPasswordInvalid = "current_password_invalid"
    case reauthenticationNeeded = "reauthentication_needed"
    case reauthenticationNotValid = "reauthentication_not_valid"
    case notAdmin = "not_admin"
    case conflict = "conflict"
    case overRequestRateLimit = "over_request_rate_limit"
    case overEmailSendRateLimit = "over_email_send_rate_limit"
    case otpExpired = "otp_expired"
    case otpDisabled = "otp_disabled"
    case flowStateNotFound = "flow_state_not_found"
    case flowStateExpired = "flow_state_expired"
    case badCodeVerifier = "bad_code_verifier"
    case unexpectedFailure = "unexpected_failure"
    /// An identity token that cannot be accepted; reported in OAuth's own format (contract, 1.7).
    case badIdentityToken = "oauth.invalid_request"
    case badNonce = "oauth.invalid_nonce"

    /// Reads the code of an error of the authority; `nil` for any other error's.
    public init?(_ code: FarewellError.Code) {
        guard code.rawValue.hasPrefix("auth.") else { return nil }
        self.init(rawValue: String(code.rawValue.dropFirst("auth.".count)))
    }

    /// The contract's sentence.
    public var message: String {
        switch self {
        case .validationFailed: "The request is not valid"
        case .badJWT: "invalid JWT: unable to parse or verify signature"
        case .badSubject: "invalid claim: sub claim must be a UUID"
        case .invalidCredentials: "Invalid login credentials"
        case .emailExists: "A user with this email address has already been registered"
        case .phoneExists: "A user with this phone number has already been registered"
        case .userAlreadyExists: "User already registered"
        case .userNotFound: "User not found"
        case .userBanned: "User is banned"
        case .sessionNotFound: "Session from session_id claim in JWT does not exist"
        case .sessionExpired: "Invalid Refresh Token: Session Expired"
        case .refreshTokenNotFound: "Invalid Refresh Token: Refresh Token Not Found"
        case .refreshTokenAlreadyUsed: "Invalid Refresh Token: Already Used"
        case .signUpDisabled: "Signups not allowed for this instance"
        case .anonymousProviderDisabled: "Anonymous sign-ins are disabled"
        case .emailProviderDisabled: "Email signups are disabled"
        case .phoneProviderDisabled: "Phone signups are disabled"
        case .providerDisabled: "The provider is not enabled"
        case .emailNotConfirmed: "Email not confirmed"
        case .emailAddressInvalid: "Email address is invalid"
        case .weakPassword: "Password does not meet the requirements"
        case .samePassword: "New password should be different from the old password."
        case .currentPasswordRequired: "Current password required when setting new password."
        case .currentPasswordInvalid: "Current password required when setting new password."
        case .reauthenticationNeeded: "Password update requires reauthentication"
        case .reauthenticationNotValid: "Nonce has expired or is invalid"
        case .notAdmin: "User not allowed"
        case .conflict: "The same thing was changed at the same time"
        case .overRequestRateLimit: "Request rate limit reached"
        case .overEmailSendRateLimit: "For security purposes, you can only request this once every 60 seconds"
        case .otpExpired: "Token has expired or is invalid"
        case .otpDisabled: "Signing in by a code or a link in a mail is not offered"
        case .flowStateNotFound: "The authorization code is unknown or has been used"
        case .flowStateExpired: "The authorization code has expired"
        case .badCodeVerifier: "The code verifier does not match the code challenge"
        case .unexpectedFailure: "Unexpected failure"
        case .badIdentityToken: "Bad ID token"
        case .badNonce: "Nonces mismatch"
        }
    }

    var error: FarewellError { error(message) }

    /// The refusal of a change that the database refuses because another user has the address or the number, which no
    /// query before it excludes; `nil` for other errors.
    static func ofTakenName(_ error: FarewellError) -> AuthorityRefusal? {
        guard error.code == "sql.23505" else { return nil }
        return error.message.contains("phone") ? .phoneExists : .emailExists
    }

    func error(_ message: String? = nil, remedy: String? = nil) -> FarewellError {
        let family: FarewellError.Family =
            switch self {
            case .overRequestRateLimit, .overEmailSendRateLimit, .conflict: .tryAgain
            case .unexpectedFailure: .ours
            default: .yoursToFix
            }
        return FarewellError(
            .init(rawValue: "auth.\(rawValue)"), family, message ?? self.message, remedy: remedy)
    }
}
