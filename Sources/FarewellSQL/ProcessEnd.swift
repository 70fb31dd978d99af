// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How Farewell's programs end.
package enum ProcessEnd {
    /// Writes out what the C library still holds, and ends the process at once, without the exit handlers of libraries.
    ///
    /// `exit` and the return from `main` run those handlers while other threads go on. Kerberos, which libpq uses, then
    /// frees its locks and aborts the process in a thread that opens a connection (decision 148).
    package static func now(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
