// SPDX-License-Identifier: Apache-2.0

/// The pause that a system asks for by `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// A day: no pause is longer.
    private static let longest = 86_400.0

    /// The pause in seconds, at most a day; nil for text of another form.
    ///
    /// - Parameter now: Seconds since 1970, for a date.
    package static func seconds(_ text: String, now: Double) -> Double? {
        if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? min(seconds, longest) : nil }
        return HTTPDate.seconds(text).map { min(max($0 - now, 0), longest) }
    }
}
