// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

extension ConnectorWorld {
    /// A name that no user has, for deletions that must find nothing. It is another one each time, so that no user can
    /// take it beforehand.
    var unusedName: String {
        "farewell-unused-" + SHA256.hash(data: Data("\(now()) \(uptime())".utf8)).hexadecimal.prefix(32)
    }
}
