// SPDX-License-Identifier: Apache-2.0

/// How long to wait before something is tried again: ever longer, up to a bound, and never two at the same time.
package struct Patience: Sendable, Hashable {
    /// Seconds before the first other try.
    package var first: Double
    /// Seconds that are never exceeded.
    package var longest: Double

    package init(first: Double, longest: Double) {
        self.first = first
        self.longest = longest
    }

    /// Seconds to wait after so many failures.
    ///
    /// Between half of a doubling time and all of it, so that what failed together does not come back together.
    ///
    /// - Parameter chance: From 0 to 1.
    package func pause(after failures: Int, chance: Double) -> Double {
        let doublings = Double(1 << (min(max(failures, 1), 31) - 1))
        let whole = min(first * doublings, longest)
        return whole * (0.5 + 0.5 * min(max(chance, 0), 1))
    }

    /// Erasures: from a second to five minutes.
    package static let ofErasures = Patience(first: 1, longest: 300)
    /// Deliveries: from five seconds to an hour.
    package static let ofDeliveries = Patience(first: 5, longest: 3_600)
}
