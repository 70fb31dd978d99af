// SPDX-License-Identifier: Apache-2.0

/// For how long an administrator bars a user.
public enum BanDuration: Sendable, Hashable {
    /// Lifts an earlier ban.
    case none
    case lasting(Duration)

    /// Reads `none` or a duration in Go's notation, such as `24h`, `1h30m` or `90s` (contract, 1.11); `nil` for any
    /// other text, for negative durations and for more than a thousand years.
    public init?(_ text: String) {
        if text == "none" { self = .none; return }
        var rest = text[...]
        var seconds = 0.0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let value = Double(number), value.isFinite else { return nil }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let factor = Self.units[String(unit)] else { return nil }
            seconds += value * factor
        }
        guard seconds > 0, seconds <= 1000 * 365 * 86_400 else { return nil }
        self = .lasting(.milliseconds(Int64(seconds * 1000)))
    }

    private static let units: [String: Double] = ["h": 3600, "m": 60, "s": 1, "ms": 0.001]
}
