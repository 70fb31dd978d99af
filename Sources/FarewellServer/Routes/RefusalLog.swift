// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Logging

/// Logs and counts every refusal, whatever the caller sees. No other code does.
///
/// The level follows from the status of the answer. A 4xx is the caller's doing and never more than `info`, so that
/// no stranger can set off an alarm. A condition that passes, such as a slow body or a database that is away, is a
/// `warning`. Only a fault that an operator must correct is an `error`.
struct RefusalLog: Sendable {
    let metrics: ServerMetrics

    /// - Parameters:
    ///   - error: The thrown error.
    ///   - answer: The caller's answer.
    func record(_ error: any Error, _ answer: ErrorAnswer, _ log: Logger) {
        let level = Self.level(answer.status, error)
        guard level > .info else { return record(answer.code, log) }
        metrics.refused(answer.code)
        if let known = Self.known(error) {
            log.log(level: level, "\(known.message)", metadata: ["code": "\(known.code.rawValue)"])
        } else {
            // The text of a foreign error may hold anything, so only its type is logged.
            log.log(level: level, "an unexpected error", metadata: ["type": "\(type(of: error))"])
        }
    }

    /// A refusal that is the caller's doing.
    ///
    /// - Parameter code: One of a fixed set: each is a counter.
    func record(_ code: String, _ log: Logger) {
        metrics.refused(code)
        log.info("refused", metadata: ["code": "\(code)"])
    }

    static func level(_ status: HTTPResponse.Status, _ error: any Error) -> Logger.Level {
        guard status.code >= 500 else { return .info }
        return known(error)?.family == .tryAgain ? .warning : .error
    }

    private static func known(_ error: any Error) -> FarewellError? {
        switch error {
        case let error as FarewellError: error
        case let error as ErrorWithStatus: error.error
        case let error as UnprovenIdentity: error.error
        case let error as WeakPassword: error.error
        default: nil
        }
    }
}
