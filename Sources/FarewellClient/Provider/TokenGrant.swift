// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A token response of the Supabase Auth contract (1.4), read.
struct TokenGrant {
    private let access: String
    private let refresh: String
    private let ticket: String?
    private let lifetime: TimeInterval
    private let expiresAt: TimeInterval?
    private let date: Date?
    private let userID: String?
    private let email: String?
    private let providers: [String]?
    private let sessionID: String?

    /// - Throws: `unavailable` for a body that is no such answer: it comes from something in between, such as the
    ///   sign-in page of a network.
    init(_ answer: HTTPExchange.Answer) throws(ProviderFailure) {
        let json = answer.json
        if answer.json?["id"] != nil, answer.json?["access_token"] == nil {
            throw .refused(
                FarewellError(
                    "device.confirmation-needed", .yoursToFix,
                    "The address has to be confirmed before the first sign-in.",
                    remedy: "Ask the user to open the link in the mail."))
        }
        guard let access = json?["access_token"]?.string, let refresh = json?["refresh_token"]?.string,
            !access.isEmpty, !refresh.isEmpty, let lifetime = TokenLife.seconds(json?["expires_in"])
        else {
            throw .unavailable(
                FarewellError("device.odd-answer", .tryAgain, "The answer is not from the server of this app."))
        }
        self.access = access
        self.refresh = refresh
        ticket = json?["sign_out_ticket"]?.string
        let claims = TokenClaims(access)
        expiresAt = (json?["expires_at"]?.integer ?? claims?["exp"]?.integer).map(TimeInterval.init)
        self.lifetime = lifetime
        date = answer.date
        userID = json?["user"]?["id"]?.string ?? claims?["sub"]?.string
        email = json?["user"]?["email"]?.string
        providers = json?["user"]?["app_metadata"]?["providers"]?.array?.compactMap(\.string)
        sessionID = answer.fields["sb-auth-session-id"] ?? claims?["session_id"]?.string
    }

    /// A session that begins.
    func session(appleUserID: String?) throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        guard let userID else {
            throw .refused(FarewellError("device.odd-answer", .ours, "The server did not name the signed-in user."))
        }
        let session = DeviceSession(
            id: sessionID ?? SessionName.made(for: userID, Token(refresh)),
            user: DeviceUser(
                id: userID, email: email.flatMap { $0.isEmpty ? nil : $0 }, appleUserID: appleUserID,
                providers: providers),
            accessToken: Token(access), refreshToken: Token(refresh), signOutTicket: ticket.map(Token.init),
            expiresAt: end, lifetime: lifetime)
        return ProviderAnswer(session, serverTime: date)
    }

    /// The same session with new tokens.
    ///
    /// - Throws: `refused` if the answer concerns another user.
    func renewed(_ session: DeviceSession) throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        guard userID == nil || userID == session.user.id else {
            throw .refused(
                FarewellError("device.odd-answer", .ours, "The server answered with another user's session."))
        }
        var session = session
        session.accessToken = Token(access)
        session.refreshToken = Token(refresh)
        if let ticket { session.signOutTicket = Token(ticket) }
        session.expiresAt = end
        session.lifetime = lifetime
        return ProviderAnswer(session, serverTime: date)
    }

    /// By the server's clock: its answer's date and the given lifetime, otherwise the time that it names.
    private var end: Date {
        if let date { return date.addingTimeInterval(lifetime) }
        return Date(timeIntervalSince1970: expiresAt ?? 0)
    }
}
