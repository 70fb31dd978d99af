// SPDX-License-Identifier: Apache-2.0

/// Where a server listens.
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on; loopback by default, so that nothing is offered outside by accident.
    public var host: String
    /// The port to listen on; 0 chooses a free one.
    public var port: Int

    public init(host: String = "127.0.0.1", port: Int = 9999) {
        self.host = host
        self.port = port
    }
}
