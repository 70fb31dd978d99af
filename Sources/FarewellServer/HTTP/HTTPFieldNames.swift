// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Names of header fields that no standard has.
enum HTTPFieldNames {
    static func name(_ text: String) -> HTTPField.Name {
        // Every name here is a token of RFC 9110, so that the second way is never taken.
        HTTPField.Name(text) ?? .userAgent
    }
}

extension HTTPField.Name {
    static let requestIdentifier = HTTPFieldNames.name("X-Request-Id")
    static let apiVersion = HTTPFieldNames.name("X-Supabase-Api-Version")
    static let forwarded = HTTPFieldNames.name("Forwarded")
    static let forwardedFor = HTTPFieldNames.name("X-Forwarded-For")
    static let errorCode = HTTPFieldNames.name("x-sb-error-code")
    static let requestedAudience = HTTPFieldNames.name("X-JWT-AUD")
    static let totalCount = HTTPFieldNames.name("X-Total-Count")
    static let links = HTTPFieldNames.name("Link")
    static let refreshNonce = HTTPFieldNames.name("X-Farewell-Refresh-Nonce")
    static let deviceName = HTTPFieldNames.name("X-Farewell-Device")
    static let deviceKey = HTTPFieldNames.name("X-Farewell-Device-Key")
    static let devicePlatform = HTTPFieldNames.name("X-Farewell-Platform")
    static let appVersion = HTTPFieldNames.name("X-Farewell-App-Version")
    static let clientPlatform = HTTPFieldNames.name("X-Supabase-Client-Platform")
    static let refreshCounter = HTTPFieldNames.name("sb-auth-refresh-token-counter")
    static let refreshReuse = HTTPFieldNames.name("sb-auth-refresh-token-reuse")
    static let refreshReuseCause = HTTPFieldNames.name("sb-auth-refresh-token-reuse-cause")
    static let refreshRotated = HTTPFieldNames.name("sb-auth-refresh-token-rotated")
    static let authUser = HTTPFieldNames.name("sb-auth-user-id")
    static let authSession = HTTPFieldNames.name("sb-auth-session-id")
    static let traceParent = HTTPFieldNames.name("traceparent")
    static let traceState = HTTPFieldNames.name("tracestate")
    static let lastEvent = HTTPFieldNames.name("Last-Event-ID")
    static let contentTypeOptions = HTTPFieldNames.name("X-Content-Type-Options")
    static let frameOptions = HTTPFieldNames.name("X-Frame-Options")
    static let referrerPolicy = HTTPFieldNames.name("Referrer-Policy")
    static let openerPolicy = HTTPFieldNames.name("Cross-Origin-Opener-Policy")
    static let idempotencyKey = HTTPFieldNames.name("Idempotency-Key")
    static let prefer = HTTPFieldNames.name("Prefer")
    static let preferenceApplied = HTTPFieldNames.name("Preference-Applied")
    static let ticket = HTTPFieldNames.name("X-Farewell-Ticket")
    static let stepUp = HTTPFieldNames.name("X-Farewell-Step-Up")
    /// The first host that a request names is its authority; another one is left among its fields.
    static let secondHost = HTTPFieldNames.name("Host")
    static let accelBuffering = HTTPFieldNames.name("X-Accel-Buffering")
}
