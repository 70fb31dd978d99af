// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// A grant as the contract's token response.
struct TokenAnswer: Encodable {
    let grant: SessionGrant
    /// The password grant names `weak_password`, as null; the others do not.
    let namesWeakPassword: Bool

    private enum CodingKeys: String, CodingKey {
        case access_token, token_type, expires_in, expires_at, refresh_token, user, weak_password, sign_out_ticket
    }

    func encode(to encoder: any Encoder) throws {
        // In the order in which they are written, which saves sorting them.
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(grant.accessToken, forKey: .access_token)
        try container.encode(Int64(grant.expiresAt.timeIntervalSince1970), forKey: .expires_at)
        try container.encode(grant.expiresIn, forKey: .expires_in)
        try container.encode(grant.refreshToken, forKey: .refresh_token)
        try container.encode(grant.signOutTicket, forKey: .sign_out_ticket)
        try container.encode("bearer", forKey: .token_type)
        try container.encode(grant.user, forKey: .user)
        if namesWeakPassword { try container.encodeNil(forKey: .weak_password) }
    }

    var response: Response {
        .json(
            self,
            headers: [
                .authUser: grant.user.id.text, .authSession: grant.sessionID.text,
                .refreshCounter: String(grant.refreshCounter),
            ])
    }
}

extension RouteCall {
    /// The answer with which a session begins, and its word in the log.
    func begun(_ grant: SessionGrant, by method: String, namesWeakPassword: Bool = false) -> Response {
        report("signed in", of: grant.sessionID, ["method": method])
        return TokenAnswer(grant: grant, namesWeakPassword: namesWeakPassword).response
    }

    /// Logs an event of a session (ASVS 5.0, 16.3): its name, and nothing personal.
    func report(_ event: String, of session: UUID?, _ more: [String: String] = [:]) {
        var metadata: Logger.Metadata = more.mapValues { .string($0) }
        if let session { metadata["session"] = .string(session.text) }
        log.info("\(event)", metadata: metadata)
    }

    /// Logs and counts a refusal that the caller gets as a page, as `RouteRunner` does every other refusal.
    func report(refusal error: FarewellError, _ metrics: ServerMetrics) {
        report(refusal: ErrorStatus.code(of: error), metrics)
    }

    /// - Parameter code: One of a fixed set: each is a counter.
    func report(refusal code: String, _ metrics: ServerMetrics) {
        RefusalLog(metrics: metrics).record(code, log)
    }
}
