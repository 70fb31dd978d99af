// SPDX-License-Identifier: Apache-2.0

/// Every metric of the server: the name, as `/metrics` spells it. `docs/metrics.md` is made from this list.
package enum ServerMetric: String, Sendable, CaseIterable {
    case requests = "farewell_http_requests_total"
    case durations = "farewell_http_request_duration_seconds"
    case inFlight = "farewell_http_requests_in_flight"
    case refusals = "farewell_refusals_total"
    case rateLimited = "farewell_rate_limited_total"
    case fencedWrites = "farewell_fenced_writes_total"
    case planFits = "farewell_plan_fits"
    case clockTrusted = "farewell_clock_trusted"
    case erasures = "farewell_erasures"
    case failingRetentions = "farewell_failing_retentions"
    case followers = "farewell_revocation_followers"
    case droppedSpans = "farewell_spans_dropped_total"

    /// The type in Prometheus' text format.
    package var type: String {
        switch self {
        case .requests, .refusals, .rateLimited, .fencedWrites, .droppedSpans: "counter"
        case .inFlight, .planFits, .clockTrusted, .erasures, .failingRetentions, .followers: "gauge"
        case .durations: "histogram"
        }
    }

    /// The labels with their meaning.
    package var labels: [(name: String, meaning: String)] {
        switch self {
        case .requests:
            [
                ("method", "the method of the request"),
                ("route", "the path as in the description, or `none` if no route applies"),
                ("status", "the status of the answer"),
            ]
        case .durations: [("route", "the path as in the description, or `none`")]
        case .refusals: [("code", "the error code, such as `session_not_found`")]
        case .rateLimited: [("by", "the limit; `address` is the one for a network address")]
        case .erasures: [("state", "the state of the erasures; `needs attention` are the parked ones")]
        case .inFlight, .fencedWrites, .planFits, .clockTrusted, .failingRetentions, .followers, .droppedSpans: []
        }
    }

    package var meaning: String {
        switch self {
        case .requests: "The answered calls."
        case .durations:
            "The duration of calls in seconds, in buckets from 1 ms to 10 s."
        case .inFlight: "The calls in progress."
        case .refusals: "The calls that the server refused."
        case .rateLimited: "The calls that exceeded a limit and were answered 429."
        case .fencedWrites:
            "The erasures to which a worker of this server could no longer write: another worker had taken over, or an "
                + "operator held the erasure. `farewell work` logs these events instead (`run.lease-lost`)."
        case .planFits:
            "1 while the plan fits the database and no erasure waits for a later plan, else 0: then `/readyz` and the "
                + "console name the cause."
        case .clockTrusted:
            "1 while the clock may decide what cannot be undone, else 0: then no retention and no grace period begins "
                + "or ends, and `/readyz` names the cause."
        case .erasures: "The unfinished erasures in each state."
        case .failingRetentions:
            "The pieces of retained rows whose last day is over and that could not be erased or emptied. "
                + "`farewell doctor` names the tables and a reason."
        case .followers:
            "The present followers: services at the revocation feed, users of an erasure's events, operators at the "
                + "console. `limits.followers` limits each group."
        case .droppedSpans: "The spans that the collector did not accept."
        }
    }
}
