// SPDX-License-Identifier: Apache-2.0

/// Where random bytes come from: the operating system, or a seeded generator in tests.
package struct Entropy: Sendable {
    private let make: @Sendable (Int) -> [UInt8]

    /// `make` returns as many bytes as it is asked for.
    package init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

    package func bytes(_ count: Int) -> [UInt8] { make(count) }

    /// The system's own generator (`getrandom`, `arc4random`), fit for keys.
    package static let live = Entropy { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }
}
