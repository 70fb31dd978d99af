// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// This machine's clocks, identifiers and chance.
enum LiveClientEnvironment {
    static func environment(log: @escaping @Sendable (FarewellError) -> Void) -> ClientEnvironment {
        let begin = ContinuousClock().now
        return ClientEnvironment(
            now: { Date() }, elapsed: { ContinuousClock().now - begin }, sleep: { try await Task.sleep(for: $0) },
            keepAwake: LiveBackgroundTime.begin, makeIdentifier: { UUID() }, chance: { Double.random(in: 0..<1) },
            log: log, isExtension: Bundle.main.bundleURL.pathExtension == "appex")
    }
}

extension ClientEnvironment {
    /// The live environment. `log` receives errors that no caller waits for.
    public static func live(log: @escaping @Sendable (FarewellError) -> Void = { _ in }) -> ClientEnvironment {
        LiveClientEnvironment.environment(log: log)
    }
}
