// SPDX-License-Identifier: Apache-2.0

extension MailPurpose {
    /// The method of a session that a mail of this purpose opens (contract, 1.5).
    var method: String {
        switch self {
        case .signUp: "email/signup"
        case .recovery: "recovery"
        case .emailChange: "email_change"
        case .reauthentication, .emailChanged, .erasureRequested: "otp"
        }
    }
}
