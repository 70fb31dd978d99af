// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let second = "https://www.revenuecat.com/docs/api-v2#tag/Error-Handling"
    private static let first = "https://www.revenuecat.com/docs/api-v1"

    package static let revenueCat = ResponseTable(
        "revenuecat",
        [
            .init(
                [404], code: "resource_missing", saying: "roject",
                .misconfigured("there is no such project, or the key is not the project's"), second),
            .init([404], code: "resource_missing", .absent, second),
            .init([404], code: "7259", .absent, first), .init([404], code: "7117", .absent, first),
            // Another change of the same customer is under way; Farewell's own calls are made again.
            .init([], code: "resource_locked_error", .again, second), .init([423], .again, second),
            .init([409], .again, second), .init([], code: "rate_limit_error", .later, second),
            .init([], code: "authentication_error", .credentials, second),
            .init([], code: "authorization_error", .credentials, second),
            .init([], code: "store_error", .again, second), .init([], code: "server_error", .again, second),
            .init([422], code: "unprocessable_entity_error", .refused("{code}"), second),
            .init([400], code: "parameter_error", .refused("{code}"), second),
        ])

    /// `{"object": "error", "type": "resource_missing", "message": "…"}`, and `{"code": 7259, "message": "…"}` of the
    /// first interface. `backoff_ms` is the pause in milliseconds; `Retry-After` may repeat that number, and would be
    /// taken for seconds.
    static func revenueCatWords(_ reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        return ErrorWords(
            code: value["type"]?.string ?? value["code"]?.integer.map(String.init) ?? "",
            message: value["message"]?.string ?? "",
            pause: value["backoff_ms"]?.integer.map { Double($0) / 1_000 })
    }
}
