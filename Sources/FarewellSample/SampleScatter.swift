// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// An order of time in which neighbours by number are far apart: the m-th row in time is number m × `step` mod `count`,
/// and row number n is at about n × 0.618 × `count`, modulo `count`.
struct SampleScatter: Sendable, Hashable {
    let step: Int

    init(count: Int) {
        var stride = max(1, Int(Double(count) * 0.618_033_988_75))
        while Self.commonFactor(stride, count) != 1 { stride += 1 }
        step = Self.inverse(of: stride, modulo: count)
    }

    private static func commonFactor(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first
    }

    /// By Euclid's extended algorithm.
    private static func inverse(of number: Int, modulo count: Int) -> Int {
        guard count > 1 else { return 1 }
        var (old, rest) = (number % count, count)
        var (oldFactor, factor) = (1, 0)
        while rest != 0 {
            let quotient = old / rest
            (old, rest) = (rest, old - quotient * rest)
            (oldFactor, factor) = (factor, oldFactor - quotient * factor)
        }
        return (oldFactor % count + count) % count
    }
}
