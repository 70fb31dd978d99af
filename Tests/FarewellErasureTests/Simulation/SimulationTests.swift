// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

/// `FAREWELL_TEST_SEEDS=1000` runs as many histories; `FAREWELL_TEST_SEED=17` runs that one and prints it.
@Suite("Workers in a simulation", .serialized)
struct SimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test("BX-4 P1 P2 P4 P5 F1 F4 F5 with killed, stopped and unanswered processes each subject is erased once, and no other user")
    func promises() async throws {
        try await SimulatedService.with { service in
            let seed = Self.number("FAREWELL_TEST_SEED")
            for seed in seed.map({ [$0] }) ?? Array(1...(Self.number("FAREWELL_TEST_SEEDS") ?? 20)) {
                let outcome = try await service.run(seed)
                #expect(outcome.broken.isEmpty, "FAREWELL_TEST_SEED=\(seed) shows how")
            }
            if let seed { print(try await service.run(seed).history.joined(separator: "\n")) }
        }
    }

    @Test("P10 the same seed gives the same history, byte for byte, and another seed gives another history")
    func sameSeed() async throws {
        try await SimulatedService.with { service in
            for seed in UInt64(1)...3 {
                let first = try await service.run(seed)
                let second = try await service.run(seed)
                #expect(first.history.count > 50)
                #expect(first.history == second.history, "seed \(seed)")
                #expect(try await service.run(seed + 100).history != first.history)
            }
        }
    }
}
