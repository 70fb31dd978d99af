// SPDX-License-Identifier: Apache-2.0

/// The resources that one request, one address, one account and all connections together may use.
public struct ServerLimits: Sendable, Hashable {
    /// Bytes of a request's body; more is answered 413.
    public var bodyBytes = 1 << 20
    /// Bytes of a request's header fields together; more is answered 431, and the connection closed.
    public var headerBytes = 16 << 10
    /// Levels to which the JSON of a body may nest.
    public var jsonDepth = 32
    /// Seconds a request may take, body included; longer is answered 504.
    public var requestTimeout = 10
    /// Seconds a connection may be silent, or read nothing of a waiting answer, before it is closed.
    public var idleTimeout = 60
    /// Connections at once; more wait to be accepted.
    public var connections = 16_000
    /// Followers of the revocation feed at once; as many may follow erasures, eight of them each, and as many the
    /// console. More are answered 503.
    public var followers = 1_000
    /// Calls that sign in, sign up or refresh, of one address in a window. (Tries of one account's password are
    /// counted by the authority, for all servers together.)
    public var callsPerAddress = 150
    /// How many of them at once.
    public var burstPerAddress = 30
    /// Seconds of a window.
    public var window = 300
    /// Exports that one subject may request in a day; more are answered 429.
    public var exportsPerDay = 5

    /// How many bytes of header fields are parsed. Beyond `headerBytes` they are parsed only for the form of the
    /// refusal: a page for a browser.
    var parsedHeaderBytes: Int { headerBytes + 32 << 10 }

    public init() {}
}
