// SPDX-License-Identifier: Apache-2.0

/// Why a connector has no answer.
///
/// The family of the error decides what follows: *try again* is tried again, any other parks the erasure with the cause
/// in words.
public struct ConnectorFault: Error, Sendable, Hashable {
    public var error: FarewellError
    /// The system's requested pause in seconds, if there is one.
    public var retryAfter: Double?
    /// Whether the cursor is discarded: the entries kept on former pages are read again once the erasure is released.
    public var beginsAnew = false
    /// Whether the system answered that nothing is there, and only evidence of the place is missing.
    public private(set) var isUnproved = false
    /// Whether the system has accepted the request, and a report of it still counts, however late it comes.
    package private(set) var isUnreported = false
    /// Whether the system repeated the answer that it stored for the idempotency key: it would repeat it again.
    package var isRepeated = false

    public init(_ error: FarewellError, retryAfter: Double? = nil) {
        self.error = error
        self.retryAfter = retryAfter
    }

    /// The same fault, after which the erasure starts again.
    public var anew: ConnectorFault {
        var fault = self
        fault.beginsAnew = true
        return fault
    }

    /// The same fault of a system that calls back: once the erasure is released it starts again, unless the report has
    /// come by then.
    package var anewUnlessReported: ConnectorFault {
        var fault = self
        fault.isUnreported = true
        return fault
    }

    /// Whether the system only asks for a pause, which counts as no attempt.
    public var isThrottling: Bool { error.code == Self.throttled }

    private static let throttled: FarewellError.Code = "connector.throttled"

    /// No answer, or a temporary error (500, 503, a lost connection).
    public static func passing(_ system: String, _ what: String, retryAfter: Double? = nil) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.unavailable", .tryAgain, "The system \(system) did not carry out the request: \(what)."),
            retryAfter: retryAfter)
    }

    /// Too many calls for the system (429).
    public static func throttled(_ system: String, retryAfter: Double? = nil) -> ConnectorFault {
        ConnectorFault(
            FarewellError(throttled, .tryAgain, "The system \(system) limits the rate of requests."),
            retryAfter: retryAfter)
    }

    /// An unusable answer: too long, of another type, malformed, or without a required part.
    public static func garbled(_ system: String, _ what: String) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.garbled", .tryAgain, "The system \(system) returned an unexpected answer: \(what).",
                remedy: "Check the address; another service may answer there."))
    }

    /// The system does not accept the credential, or the credential lacks a right (401, 403).
    public static func credentials(_ system: String, needs permission: String) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.credentials", .yoursToFix,
                "The system \(system) refuses Farewell's credentials, or they lack the right: \(permission).",
                remedy: "Renew the key or grant the right, then release the erasure."))
    }

    /// The system refuses, now and later.
    public static func refused(_ system: String, _ why: String, remedy: String? = nil) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.refused", .yoursToFix, "The system \(system) refuses to erase: \(why).",
                remedy: remedy ?? "Fix the cause, then release the erasure."))
    }

    /// The system shows no data of the subject, and no evidence that this is the right place: an empty answer from a
    /// wrong bucket, project, mode or region proves nothing, nor does one to a key that sees nothing.
    public static func unproved(_ system: String, _ why: String, remedy: String? = nil) -> ConnectorFault {
        var fault = ConnectorFault(
            FarewellError(
                "connector.refused", .yoursToFix,
                "The system \(system) shows no data of the person, but that is no evidence: \(why).",
                remedy: remedy ?? "Correct the plan or the key, then release the erasure."))
        fault.isUnproved = true
        return fault
    }

    /// The system had begun, and refuses now: once the cause is removed it must start again, and the cursor is
    /// discarded.
    public static func ended(_ system: String, _ why: String) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.ended", .yoursToFix, "The system \(system) started the erasure and then refused it: \(why).",
                remedy: "Fix the cause, then release the erasure."))
    }

    /// The plan's settings of the system cannot work, or the system is not set up for them.
    public static func misconfigured(_ system: String, _ why: String) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.misconfigured", .yoursToFix, "The plan's system \(system) cannot be used: \(why).",
                remedy: "Correct the plan or the system's own set-up, then release the erasure."))
    }
}
