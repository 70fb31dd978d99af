// SPDX-License-Identifier: Apache-2.0

import FarewellVerifier

/// Why no answer came.
package enum SendingFailure: Error, Hashable {
    case late
    /// More than `limit` bytes.
    case tooLong
    case cut
    /// No connection was made.
    case unconnected(ConnectionFailure)
}
