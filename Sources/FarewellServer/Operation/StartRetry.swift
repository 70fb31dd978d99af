// SPDX-License-Identifier: Apache-2.0

import Farewell
import Logging

/// Waits at the start for temporary conditions: a database that is away, or that takes no writes during a failover. The
/// supervisor of the process restarts it after that.
public struct StartRetry: Sendable {
    private let pauses: [Duration]
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - pauses: How long to wait after each failure; the next one is thrown.
    ///   - clock: Measures the pauses.
    public init(
        pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)],
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.pauses = pauses
        self.clock = clock
    }

    /// Opens what `body` opens.
    ///
    /// - Throws: the error of `body`: at once if another attempt does not help, or after the last pause.
    public func open<Value: Sendable>(log: Logger, _ body: () async throws -> Value) async throws -> Value {
        for pause in pauses {
            do {
                return try await body()
            } catch let error as FarewellError where Self.passes(error) {
                log.warning(
                    "The database is not ready; the server waits for it.",
                    metadata: ["code": "\(error.code.rawValue)", "why": "\(error.message)"])
                try await clock.sleep(for: pause)
            }
        }
        return try await body()
    }

    private static func passes(_ error: FarewellError) -> Bool {
        error.family == .tryAgain && error.code.rawValue.hasPrefix("sql.")
    }
}

/// The former name of `StartRetry`.
@available(*, deprecated, renamed: "StartRetry")
public typealias StartPatience = StartRetry
