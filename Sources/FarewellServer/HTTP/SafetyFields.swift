// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The header fields that keep a browser from doing anything with an answer but read it (ASVS 5.0, 3.4).
enum SafetyFields {
    static func fields(isSecure: Bool) -> [HTTPField] { isSecure ? secure : plain }

    private static let plain: [HTTPField] = [
        HTTPField(name: .contentTypeOptions, value: "nosniff"), HTTPField(name: .frameOptions, value: "DENY"),
        HTTPField(name: .referrerPolicy, value: "no-referrer"), HTTPField(name: .openerPolicy, value: "same-origin"),
        HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'"),
    ]
    private static let secure =
        plain + [HTTPField(name: .strictTransportSecurity, value: "max-age=31536000; includeSubDomains")]
}
