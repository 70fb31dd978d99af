// SPDX-License-Identifier: Apache-2.0

/// The server's address and its limits.
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on; loopback by default, so that nothing is offered outside by accident.
    public var host: String
    /// The port to listen on; 0 chooses a free one.
    public var port: Int
    /// The names of the host that a request may be for, without ports; any other is answered 421. nil accepts
    /// `localhost`, `127.0.0.1`, `[::1]`, the host of the issuer's address, and `host` unless it is every address.
    public var acceptedHosts: [String]?
    /// The address of `/metrics` for operators' programs. Used if `operationsPort` is given.
    public var operationsHost = "127.0.0.1"
    /// The port of that address; nil offers no `/metrics`.
    public var operationsPort: Int?
    /// Whether `/openapi.json` is public.
    public var openAPI = PageSettings.Offering.offered
    /// The header field in which your proxy names the caller, e.g. `X-Forwarded-For`; nil, and an invalid field name,
    /// trust none.
    public var clientAddressField: String?
    /// The web pages that may call; `*` is every page, none with credentials.
    public var origins: [String]
    /// The certificate and key; nil is plain HTTP, for a proxy in front or for loopback.
    public var tls: TLSFiles?
    /// The limits for one caller.
    public var limits: ServerLimits
    /// How long running calls may continue after a signal to stop, in seconds.
    public var shutdownTimeout: Int
    /// Seconds of silence after which a follower of revocations receives a heartbeat.
    public var heartbeat = 15
    /// The address of the app or site that links lead to; nil is the issuer's, without `/auth/v1`.
    public var site: String?
    /// Addresses that links may lead to beside it; one that ends in `/` allows what begins with it.
    public var redirects: [String] = []

    /// Whether addresses count at once only because no caller beyond this machine is expected: then a sign-up that came
    /// through a proxy is refused.
    var signsUpOnlyHere = false

    public init(
        host: String = "127.0.0.1", port: Int = 9999, clientAddressField: String? = nil, origins: [String] = ["*"],
        tls: TLSFiles? = nil, limits: ServerLimits = ServerLimits(), shutdownTimeout: Int = 20
    ) {
        self.host = host
        self.port = port
        self.clientAddressField = clientAddressField
        self.origins = origins
        self.tls = tls
        self.limits = limits
        self.shutdownTimeout = shutdownTimeout
    }
}
