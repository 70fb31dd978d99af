// SPDX-License-Identifier: Apache-2.0

/// Everything connectors need from outside.
public struct ConnectorWorld: Sendable {
    /// Sends calls.
    package var http: any HTTPSending
    /// Seconds since 1970.
    package var now: @Sendable () -> Double
    /// Seconds of a clock that only goes forward.
    package var uptime: @Sendable () -> Double
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Variables of the environment.
    package var environment: [String: String]
    /// The bytes of a file; `nil` when it cannot be read.
    package var read: @Sendable (_ path: String) -> [UInt8]?
    /// The address of the network behind a host's name, as text; `nil` when it has none.
    package var resolve: @Sendable (_ host: String, _ port: Int) async -> String?
    /// Runs a program, without a shell, and returns its exit status and output; `nil` if it cannot be run, does not end
    /// in time or writes more than a key needs.
    package var run: @Sendable (_ words: [String]) async -> (status: Int32, output: [UInt8])? = { _ in nil }

    package init(
        http: any HTTPSending, now: @escaping @Sendable () -> Double, uptime: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async throws -> Void, environment: [String: String],
        read: @escaping @Sendable (_ path: String) -> [UInt8]?,
        resolve: @escaping @Sendable (_ host: String, _ port: Int) async -> String? = { _, _ in nil }
    ) {
        self.http = http
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.environment = environment
        self.read = read
        self.resolve = resolve
    }

    /// A variable of the environment; `nil` also if it is empty, as the vendors' tools take it.
    package func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Ends all connections; no connector made with it can be used afterwards.
    public func close() async throws { try await http.close() }
}
