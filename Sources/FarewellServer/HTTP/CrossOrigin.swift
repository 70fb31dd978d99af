// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Hummingbird

/// Which web pages may call (CORS, the Fetch standard), with the names the contract has.
///
/// An origin is echoed only if it is in the list: `*` allows every page, but then none with credentials.
struct CrossOrigin: Sendable {
    let origins: [String]

    private static let methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
    private static let allowed = [
        "Accept", "Authorization", "apikey", "Content-Type", "X-Client-IP", "X-Client-Info", "X-JWT-AUD",
        "x-use-cookie",
        "X-Supabase-Api-Version", "X-Request-Id", "X-Farewell-Refresh-Nonce", "X-Farewell-Device",
        "X-Farewell-Device-Key",
        "X-Farewell-Platform", "X-Farewell-App-Version", "X-Farewell-Ticket", "X-Farewell-Step-Up", "Idempotency-Key",
        "Prefer", "Last-Event-ID",
    ].joined(separator: ", ")
    private static let exposed = [
        "X-Total-Count", "Link", "X-Supabase-Api-Version", "X-Request-Id", "Retry-After", "Location",
        "X-Sb-Error-Code", "Preference-Applied", "Content-Disposition", "WWW-Authenticate",
    ].joined(separator: ", ")

    /// The fields of every answer to a page.
    func fields(for origin: String?) -> HTTPFields {
        guard let origin else { return [:] }
        var fields: HTTPFields = [.vary: "Origin"]
        if origins.containsExactly(origin) {
            fields[.accessControlAllowOrigin] = origin
            fields[.accessControlAllowCredentials] = "true"
        } else if origins.contains("*") {
            fields[.accessControlAllowOrigin] = "*"
        } else {
            return fields
        }
        fields[.accessControlExposeHeaders] = Self.exposed
        return fields
    }

    /// The answer to a preflight.
    func preflight() -> Response {
        Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: Self.methods, .accessControlAllowHeaders: Self.allowed,
                .accessControlMaxAge: "600",
            ])
    }
}
