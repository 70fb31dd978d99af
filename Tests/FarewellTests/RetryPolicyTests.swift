// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

struct RetryPolicyTests {
    @Test("delays double up to a limit, with random jitter")
    func delays() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(60))
        for failures in 1...40 {
            let bound = min(Duration.seconds(1 << min(failures - 1, 30)), .seconds(60))
            for chance in [-1, 0, 0.3, 1, 2] {
                let delay = policy.delay(afterFailures: failures, chance: chance)
                #expect(delay >= bound / 2 && delay <= bound, "\(failures) \(chance) \(delay)")
            }
        }
        #expect((0...4).map(policy.delay(afterFailures:)) == [.seconds(1), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(policy.delay(afterFailures: .max, chance: 1) == .seconds(60))
        #expect(policy.delay(afterFailures: .min, chance: 1) == .seconds(1))
        #expect(policy.delay(afterFailures: 3, chance: 0.1) != policy.delay(afterFailures: 3, chance: 0.2))
    }
}
