// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// An address of the app's own backend that ends sessions, for vendors that let no device end one, such as Firebase.
///
/// At sign-in it receives the user's token and returns a ticket: `{"sign_out_ticket": "…"}`. Later it receives the
/// ticket, `{"ticket": "…"}`, and no token, and ends the ticket's session: if the vendor can only end all of a user's
/// sessions, all of them. It answers 200 to a ticket whose session has ended already, and to an unknown one (RFC 7009,
/// 2.2). Its answers are JSON, plain text or empty. Only 400, 410 and 422 refuse a ticket for good; after any other
/// refusal, such as 404 while the backend is deployed, the ticket is sent again later.
public struct SignOutEndpoint: Sendable {
    public let url: URL
    public let fields: [String: String]

    /// - Parameter fields: The fields that it requires beside token or ticket, such as `apikey`.
    public init(_ url: URL, fields: [String: String] = [:]) {
        self.url = url
        self.fields = fields
    }

    /// The ticket that can end the session later; `nil` if the backend gives none now: the next renewal asks again.
    func ticket(for session: DeviceSession, over transport: any HTTPTransport) async -> Token? {
        guard let request = try? HTTPExchange.Request.json("POST", url, fields: fields).bearing(session.accessToken),
            let answer = try? await transport.ask(request), answer.isSuccess,
            let ticket = answer.json?["sign_out_ticket"]?.string, !ticket.isEmpty
        else { return nil }
        return Token(ticket)
    }

    /// - Throws: `unavailable` when the backend does not confirm it.
    func end(_ ticket: Token, over transport: any HTTPTransport) async throws(ProviderFailure) {
        let answer = try await transport.ask(
            try .json("POST", url, fields: fields, ["ticket": .string(ticket.reveal { $0 })]), takesText: true)
        switch answer.status {
        case 200..<300: return
        case 400, 410, 422: throw .refused(error(answer, .yoursToFix))
        default: throw .unavailable(error(answer, .tryAgain))
        }
    }

    private func error(_ answer: HTTPExchange.Answer, _ family: FarewellError.Family) -> FarewellError {
        FarewellError("device.sign-out-endpoint", family, "The sign-out endpoint answered \(answer.status).")
    }
}
