// SPDX-License-Identifier: Apache-2.0

/// Compares secrets in a time that does not depend on where they differ (ASVS 5.0, 11.2.4).
package enum ConstantTime {
    /// Whether two secrets are equal. Their lengths are not secret.
    package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
