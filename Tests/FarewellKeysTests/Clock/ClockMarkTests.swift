// SPDX-License-Identifier: Apache-2.0

@testable import FarewellKeys
import Foundation
import TestFixtures
import Testing

@Suite("The high-water mark of a machine's clock")
struct ClockMarkTests {
    private static let start = Date(timeIntervalSince1970: 1_763_726_400)
    private static let day: TimeInterval = 86_400

    private func reading(_ wall: TimeInterval, _ uptime: TimeInterval, _ boot: String = "a") -> ClockReading {
        ClockReading(wall: Self.start + wall, uptime: uptime, boot: boot)
    }

    @Test("OP-3 within one boot of the machine a wall clock may deviate by up to a day from the elapsed time, and no more")
    func jumps() {
        let mark = ClockMark(trusting: reading(0, 100))
        let times: [TimeInterval] = [0, 10, 90_000, 400 * Self.day]
        for passed in times {
            let jumps: [(seconds: TimeInterval, isTrusted: Bool)] = [
                (0, true), (120, true), (-120, true), (Self.day, true), (-Self.day, true), (90_000, false),
                (-90_000, false), (4_015 * Self.day, false), (-4_015 * Self.day, false),
            ]
            for jump in jumps {
                let standing = mark.standing(of: reading(passed + jump.seconds, 100 + passed))
                #expect((standing == .trusted) == jump.isTrusted, "\(jump.seconds) s after \(passed) s: \(standing)")
            }
        }
    }

    @Test("OP-3 many small jumps add up to a large one, also when the mark moves on after each")
    func creeping() {
        var mark = ClockMark(trusting: reading(0, 0))
        var trusted = 0
        for step in 1...48 {
            let next = reading(Double(step) * 7_200, Double(step) * 3_600)
            guard mark.standing(of: next) == .trusted else { break }
            mark = mark.advanced(to: next)
            trusted = step
        }
        #expect(trusted == 24, "a clock that runs twice as fast is a day ahead after a day")
    }

    @Test("OP-3 across a restart the wall clock must be within a day of the last trusted time, whatever the uptime")
    func restarts() {
        var mark = ClockMark(trusting: reading(0, 5_000))
        mark = mark.advanced(to: reading(3_600, 8_600))
        #expect(mark.standing(of: reading(3_600 + Self.day, 20, "b")) == .trusted)
        #expect(mark.standing(of: reading(3_601 + Self.day, 20, "b")) == .jumped(Self.day + 1))
        #expect(mark.standing(of: reading(3_599 - Self.day, 20, "b")) == .jumped(-Self.day - 1))
        let after = mark.advanced(to: reading(7_200, 20, "b"))
        #expect(after.standing(of: reading(7_200 + 30 * Self.day, 20 + 30 * Self.day, "b")) == .trusted)
    }

    @Test("OP-3 the mark agrees with a model that keeps every trusted reading, for random clocks")
    func model() {
        var random = SplitMix(state: 7)
        for _ in 0..<300 {
            var mark = ClockMark(trusting: reading(0, 0, "0"))
            var trusted: [(wall: TimeInterval, uptime: TimeInterval, boot: Int)] = [(0, 0, 0)]
            var (truth, boot, booted, error) = (0.0, 0, 0.0, 0.0)
            for _ in 0..<30 {
                truth += Double(random.number(in: 0...40)) * 3_600
                if random.number(in: 0...4) == 0 { (boot, booted) = (boot + 1, truth) }
                if random.number(in: 0...3) == 0 { error += Double(random.number(in: 0...60) - 30) * 3_600 }
                let (wall, uptime) = (truth + error, truth - booted)
                let first = trusted.first { $0.boot == boot }
                let expected =
                    first.map { (wall - $0.wall) - (uptime - $0.uptime) }
                    ?? (wall - (trusted.map(\.wall).max() ?? 0))
                let now = reading(wall, uptime, "\(boot)")
                let isTrusted = abs(expected) <= Self.day
                #expect((mark.standing(of: now) == .trusted) == isTrusted, "\(expected)")
                guard isTrusted else { continue }
                mark = mark.advanced(to: now)
                trusted.append((wall, uptime, boot))
            }
        }
    }
}
