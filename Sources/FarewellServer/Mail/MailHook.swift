// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellSessions
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1

/// Posts mails to a program of the operator's, which writes and sends them. Each call is signed by every secret.
struct MailHook: MailSending {
    let address: URL
    let secrets: [WebhookSecret]
    let site: String
    let landing: MailLanding
    let now: @Sendable () -> Date
    let client: OwnHTTPClient

    func send(_ mail: Mail) async throws {
        let body = try CanonicalJSON.data(Call(mail, site: site, link: landing.link(of: mail, site: site)))
        let request = HTTPClientRequest.webhook(
            to: address.absoluteString, id: mail.id.text, at: now(), body: Array(body), secrets: secrets.map(\.bytes))
        // Redirects are not followed: a code goes nowhere but to the address that was configured.
        let response = try await answer(to: request)
        guard (200..<300).contains(response.status.code) else {
            throw FarewellError("mail.refused", .tryAgain, "The mail hook answered \(response.status.code).")
        }
    }

    private func answer(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let client = try client.client()
        do {
            return try await client.execute(request, timeout: .seconds(20))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw FarewellError(
                "mail.unavailable", .tryAgain, "The mail hook did not answer: \(ConnectionFailure.words(error)).")
        }
    }

    /// The posted message. Nothing in it comes from a request's own header fields: links are made from the configured
    /// address, and lead on only to configured addresses.
    private struct Call: Encodable {
        let user: User
        let email_data: Details

        struct Details: Encodable {
            /// The recipient; another one than the user's while they change it.
            let email: String
            let token: String
            let token_hash: String
            let email_action_type: String
            let redirect_to: String
            let site_url: String
            /// The link as this server makes it; absent if there is none.
            let action_link: String?
            let token_new = ""
            let token_hash_new = ""
        }

        init(_ mail: Mail, site: String, link: String?) {
            user = mail.user
            email_data = Details(
                email: mail.address, token: mail.code, token_hash: mail.token,
                email_action_type: mail.purpose.rawValue, redirect_to: mail.redirect ?? site, site_url: site,
                action_link: link)
        }
    }
}
