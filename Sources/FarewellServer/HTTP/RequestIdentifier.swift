// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes

/// The name under which a request stands in answers and logs.
enum RequestIdentifier {
    /// The caller's own `X-Request-Id` where it can stand in a log as it is, else a fresh one.
    static func of(_ headers: HTTPFields, fresh: () -> UUID) -> String {
        guard let given = headers[.requestIdentifier], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ allowed.contains($0) })
        else { return fresh().text }
        return given
    }

    private static let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}
