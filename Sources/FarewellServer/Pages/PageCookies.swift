// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// The cookies of one request. A cookie without a name is none, and of a name with two values neither counts: a page of
/// a neighbouring host may have set one of them.
struct PageCookies: Sendable {
    /// Nil for a name with two values.
    private var values: [ExactText: String?] = [:]
    private let isSecure: Bool

    init(_ headers: HTTPFields, isSecure: Bool) {
        self.isSecure = isSecure
        for header in headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = ExactText(String(parts[0].drop { $0 == " " }))
                guard parts.count == 2, !name.text.isEmpty else { continue }
                let value = String(parts[1])
                if let known = values[name], known.map({ $0.isExactly(value) }) != true {
                    values[name] = .some(nil)
                } else {
                    values[name] = value
                }
            }
        }
    }

    subscript(_ cookie: PageCookie) -> String? {
        guard let value = values[ExactText(cookie.name(isSecure: isSecure))] ?? nil else { return nil }
        return (1...8_192).contains(value.utf8.count) ? value : nil
    }
}
