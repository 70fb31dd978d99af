// SPDX-License-Identifier: Apache-2.0

/// Compares secrets in a time that does not depend on where they differ (ASVS 5.0, 11.2.4).
@usableFromInline
package enum ConstantTime {
    /// Whether two secrets are equal. Their lengths are not secret. Other modules compile it for their collections, but
    /// never as a part of a caller, whose knowledge of the bytes would change it.
    @inlinable
    @inline(never)
    package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        // Arrays, because each step through another collection may be a call.
        let (left, right) = (Array(left), Array(right))
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for place in left.indices { difference |= left[place] ^ right[place] }
        return difference == 0
    }
}
