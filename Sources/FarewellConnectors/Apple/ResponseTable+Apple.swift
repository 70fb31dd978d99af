// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let technote =
        "https://developer.apple.com/documentation/technotes/tn3107-resolving-sign-in-with-apple-response-errors"

    package static let apple = ResponseTable(
        "apple",
        [
            .init(
                [400], code: "invalid_grant", saying: "client_id mismatch",
                .refused("the token was given to another client than the plan's"), technote),
            .init(
                [400], code: "invalid_grant", saying: "was not issued to",
                .refused("the token was given to another client than the plan's"), technote),
            // A token that Apple no longer knows: revoked, or never given out to this client.
            .init([400], code: "invalid_grant", .absent, technote),
            .init([400], code: "invalid_client", .credentials, technote),
            .init([400], code: "unauthorized_client", .credentials, technote),
            .init([400], code: "invalid_request", .refused("{code}"), technote),
            .init([400], code: "unsupported_grant_type", .refused("{code}"), technote),
            .init([400], code: "invalid_scope", .refused("{code}"), technote),
        ])

    /// `{"error": "invalid_grant", "error_description": "…"}`.
    static func appleWords(_ reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        return ErrorWords(code: value["error"]?.string ?? "", message: value["error_description"]?.string ?? "")
    }
}
