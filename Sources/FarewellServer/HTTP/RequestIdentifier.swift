// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes

/// The name under which a request stands in answers, logs and traces.
enum RequestIdentifier {
    /// The caller's own `X-Request-Id` where it can stand in a log as it is, else a fresh one.
    static func of(_ headers: HTTPFields, fresh: () -> UUID) -> String {
        guard let given = headers[.requestIdentifier], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ allowed.contains($0) })
        else { return fresh().uuidString.lowercased() }
        return given
    }

    /// The trace the caller's span belongs to (W3C Trace Context, 3.2): 32 hexadecimal digits, not all zero.
    static func trace(of headers: HTTPFields) -> String? {
        guard let field = headers[.traceParent],
            let match = field.wholeMatch(of: #/[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/#),
            match.1.contains(where: { $0 != "0" })
        else { return nil }
        return String(match.1)
    }

    private static let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}
