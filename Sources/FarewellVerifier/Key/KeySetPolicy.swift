// SPDX-License-Identifier: Apache-2.0

/// How long an issuer's published keys are trusted, and how often they are fetched.
public struct KeySetPolicy: Sendable, Hashable {
    /// After this time the set is fetched again. A key that its issuer removed is refused after this time and
    /// ``timeout`` at the latest, as long as the issuer can be reached.
    public var timeToLive: Duration
    /// How much longer an old set is used when a new one cannot be fetched.
    public var graceWhenUnreachable: Duration
    /// At most one request per issuer in this time, whatever tokens name.
    public var interval: Duration
    /// For one request, from connecting to the last byte.
    public var timeout: Duration

    public init(
        timeToLive: Duration = .seconds(300), graceWhenUnreachable: Duration = .seconds(3600),
        interval: Duration = .seconds(10), timeout: Duration = .seconds(5)
    ) {
        self.timeToLive = timeToLive
        self.graceWhenUnreachable = graceWhenUnreachable
        self.interval = interval
        self.timeout = timeout
    }
}
