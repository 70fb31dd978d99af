// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes

/// The name of a request in answers and logs.
enum RequestIdentifier {
    /// The caller's own `X-Request-Id` if a log can hold it unchanged, otherwise a fresh one.
    static func of(_ headers: HTTPFields, fresh: () -> UUID) -> String {
        guard let given = headers[.requestIdentifier], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ allowed.contains($0) })
        else { return fresh().text }
        return given
    }

    private static let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}
