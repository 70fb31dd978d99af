// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The header fields that keep a browser from doing anything with an answer but read it (ASVS 5.0, 3.4).
enum SafetyFields {
    static func fields(isSecure: Bool) -> HTTPFields {
        var fields: HTTPFields = [
            .contentTypeOptions: "nosniff", .frameOptions: "DENY", .referrerPolicy: "no-referrer",
            .openerPolicy: "same-origin", .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
        ]
        if isSecure { fields[.strictTransportSecurity] = "max-age=31536000; includeSubDomains" }
        return fields
    }
}
