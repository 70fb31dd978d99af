// SPDX-License-Identifier: Apache-2.0

/// Where spans are sent.
public struct TraceSettings: Sendable, Hashable {
    /// The address of a collector for OTLP over HTTP in JSON, e.g. `http://127.0.0.1:4318/v1/traces`.
    public var endpoint: String
    /// The percentage of recorded traces, among those that begin at this server. For others the caller decides.
    public var percent: Int

    public init(endpoint: String, percent: Int = 100) {
        self.endpoint = endpoint
        self.percent = percent
    }
}
