// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Logging

/// This machine's clocks and random numbers.
enum LiveWorld {
    private static let start = ContinuousClock.now

    static func now() -> Date { Date() }

    static func uptime() -> Duration { ContinuousClock.now - start }

    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    static func random() -> Double { Double.random(in: 0..<1) }
}

extension VerifierEnvironment {
    /// The real world.
    public static func live(log: Logger) -> VerifierEnvironment {
        VerifierEnvironment(
            now: LiveWorld.now, uptime: LiveWorld.uptime, sleep: LiveWorld.sleep, random: LiveWorld.random, log: log)
    }
}
