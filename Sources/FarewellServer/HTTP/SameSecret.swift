// SPDX-License-Identifier: Apache-2.0

/// Compares secrets in a time that does not depend on their difference (ASVS 5.0, 11.2.4).
enum SameSecret {
    static func `is`(_ left: String, _ right: String) -> Bool {
        let (a, b) = (Array(left.utf8), Array(right.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
