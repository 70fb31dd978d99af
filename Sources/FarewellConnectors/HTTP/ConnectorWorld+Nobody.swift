// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

extension ConnectorWorld {
    /// A name without an owner, for deletions that must find nothing. It differs each time, so that no user can take it
    /// beforehand.
    var nobody: String {
        "farewell-nobody-" + SHA256.hash(data: Data("\(now()) \(uptime())".utf8)).hexadecimal.prefix(32)
    }
}
