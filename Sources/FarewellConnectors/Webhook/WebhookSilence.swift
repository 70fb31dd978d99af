// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The wait for the report of a service that has accepted a request, gave no path to poll and is to call back: a part
/// of the cursor. Pure: times are seconds since 1970.
struct WebhookSilence: Sendable, Hashable {
    /// The service's own cursor in the `erase` message that it accepted; `nil` if the message had none.
    var cursor: String?
    /// When it last accepted the request; `nil` in cursors of earlier releases.
    var since: Double?
    /// How often the request was repeated because no report came.
    var repeats = 0

    /// Repetitions at most: a service that accepts and loses three requests needs an operator.
    static let mostRepeats = 2
    /// The first and the longest pause between two looks. A report ends the pause.
    private static let pauses = 60.0...3_600.0

    enum Step: Sendable, Hashable {
        case wait(WebhookSilence, until: Double)
        case repeatRequest
        case giveUp
    }

    init(cursor: String? = nil, since: Double? = nil, repeats: Int = 0) {
        self.cursor = cursor
        self.since = since
        self.repeats = repeats
    }

    /// The next step while there is no report.
    ///
    /// - Parameter timeout: Seconds after which the service may have lost the request.
    func step(at now: Double, timeout: Double) -> Step {
        guard let since, since <= now else {
            // An earlier release began the wait, or the clock was set back.
            let waiting = WebhookSilence(cursor: cursor, since: now, repeats: repeats)
            return .wait(waiting, until: now + min(Self.pauses.lowerBound, timeout))
        }
        let (waited, due) = (now - since, since + timeout)
        guard waited < timeout else { return repeats < Self.mostRepeats ? .repeatRequest : .giveUp }
        let pause = min(max(waited, Self.pauses.lowerBound), Self.pauses.upperBound)
        return .wait(self, until: min(now + pause, due))
    }

    // MARK: In the cursor

    /// Reads the cursors of earlier releases too, which had neither a time nor a number.
    init(_ value: JSONValue) {
        cursor = value["of"]?.string
        since = value["since"]?.integer.map(Double.init)
        repeats = Int(min(max(value["repeats"]?.integer ?? 0, 0), Int64(Self.mostRepeats)))
    }

    /// Earlier releases read it as well, and wait.
    var value: JSONValue {
        var members: [String: JSONValue] = ["waiting": .null, "repeats": .integer(Int64(repeats))]
        members["of"] = cursor.map(JSONValue.string)
        members["since"] = since.flatMap { Int64(exactly: $0.rounded(.down)) }.map(JSONValue.integer)
        return .object(members)
    }
}
