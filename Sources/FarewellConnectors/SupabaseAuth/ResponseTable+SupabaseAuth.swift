// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let authErrors = "https://supabase.com/docs/guides/auth/debugging/error-codes"
    private static let authDatabaseErrors =
        "https://github.com/supabase/auth/blob/master/internal/utilities/postgres.go"

    package static let supabaseAuth = ResponseTable(
        "supabase-auth",
        [
            .init([404], code: "user_not_found", .absent, authErrors),
            // Versions without codes say it in words.
            .init(
                [404], saying: "User not found", .absent,
                "https://github.com/supabase/auth/blob/v2.143.0/internal/api/admin.go"),
            .init(
                [400, 404, 422], code: "validation_failed",
                .refused("the person's name is not a user's identifier"), authErrors),
            .init(
                [400, 404], saying: "must be an UUID", .refused("the person's name is not a user's identifier"),
                "https://github.com/supabase/auth/blob/v2.143.0/internal/api/admin.go"),
            .init([], code: "over_request_rate_limit", .later, authErrors),
            .init([409], code: "conflict", .again, authErrors),
            .init([], code: "bad_jwt", .credentials, authErrors),
            .init([], code: "not_admin", .credentials, authErrors),
            .init([], code: "no_authorization", .credentials, authErrors),
            .init([], code: "request_timeout", .again, authErrors),
            // Requests without a version of the interface are answered with the code of the database, where a key, a
            // constraint or a trigger refuses: not a temporary condition.
            .init([500], code: "23503", .refused(stillReferred), authDatabaseErrors),
            .init([500], code: "23001", .refused(stillReferred), authDatabaseErrors),
            .init(
                [500], code: "23502",
                .refused("a key of its database would empty a column that needs a value ({code})"), authDatabaseErrors),
            .init([500], code: "23514", .refused(constrained), authDatabaseErrors),
            .init([500], code: "23505", .refused(constrained), authDatabaseErrors),
            .init([500], code: "23P01", .refused(constrained), authDatabaseErrors),
            .init([500], code: "23000", .refused(constrained), authDatabaseErrors),
            .init([500], code: "P0001", .refused("a trigger of its database refuses it ({code})"), authDatabaseErrors),
            // Farewell's own server, whose databases have other codes.
            .init(
                [500], saying: "database refuses the deletion",
                .refused("a constraint, trigger or right of its database refuses it"), authErrors),
            // Any other trouble of the database: a lock, a time limit, a lost connection.
            .init([500], saying: "Database error deleting user", .again, authErrors),
        ])

    private static let stillReferred =
        "a constraint of its database fails because rows still refer to the user ({code})"
    private static let constrained = "a constraint of its database fails ({code})"

    /// `{"code": 404, "error_code": "user_not_found", "msg": "…"}`; newer versions of the interface write the code
    /// where the number was, and all versions an error of the database as `{"code": "23503", "message": "…"}`. `hint`
    /// is Farewell's own.
    static func supabaseAuthWords(_ reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        return ErrorWords(
            code: value["error_code"]?.string ?? value["code"]?.string ?? "",
            message: [value["hint"]?.string, value["msg"]?.string ?? value["message"]?.string].compactMap(\.self)
                .joined(separator: " "))
    }
}
