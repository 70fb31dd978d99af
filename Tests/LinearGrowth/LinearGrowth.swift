// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How the processor time of some work grows with the size of its input: a ratio within one run, of the least of
/// several tries, so that a busy machine makes no difference.
package struct LinearGrowth: Sendable, CustomStringConvertible {
    /// In bytes.
    package static let small = 8 << 10
    package static let large = 128 << 10
    /// Linear is 16, quadratic is 256.
    private static let most = 48.0
    /// Shorter times are not told apart.
    private static let least = 0.0003

    package let description: String
    package let isLinear: Bool

    private init(_ name: String, _ small: Double, _ large: Double) {
        isLinear = large < Self.least || large / max(small, Self.least / 16) < Self.most
        description = "\(name): \(small) s, then \(large) s"
    }

    /// - Parameter prepare: Makes the input from a text of so many bytes; its time does not count.
    package static func of<Input>(
        _ name: String, _ prepare: (Int) -> Input, _ work: (Input) -> Void
    ) -> LinearGrowth {
        let (few, many) = (prepare(small), prepare(large))
        return LinearGrowth(name, leastTime(3) { work(few) }, leastTime(2) { work(many) })
    }

    /// Those that do not grow linearly, for every kind of hostile text.
    ///
    /// Swift's tasks share one thread per core, and this work never waits: between two kinds other tests get their turn.
    package static func faults(of name: String, _ work: (String) -> Void) async -> [LinearGrowth] {
        var faults: [LinearGrowth] = []
        for kind in HostileText.allCases {
            await Task.yield()
            let growth = of("\(name), \(kind)", kind.text, work)
            if !growth.isLinear { faults.append(growth) }
        }
        return faults
    }

    private static func leastTime(_ tries: Int, _ work: () -> Void) -> Double {
        (0..<tries).map { _ in
            let begin = spent()
            work()
            return spent() - begin
        }.min() ?? 0
    }

    /// Processor time of this thread, in seconds.
    package static func spent() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
