// SPDX-License-Identifier: Apache-2.0

/// Why no answer came.
package enum SendingFailure: Error, Hashable {
    case late
    /// More than `limit` bytes.
    case tooLong
    case cut
    /// The host's name leads nowhere.
    case unresolved
    /// Nothing takes a connection at the address.
    case unreachable
    /// Its certificate is not trusted, not that host's, or no certificate at all.
    case untrusted
}
