// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// Notes what was done, in order.
final class Diary: Sendable {
    private let lines = Guarded<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// A subscription service that records its calls, and fails on request.
struct NotingSubscriptions: SubscriptionService {
    let diary: Diary
    var fails = false

    func logOut() async throws {
        diary.note("subscriptions")
        if fails { throw FarewellError("test.subscriptions", .tryAgain, "No.") }
    }
}

/// A subscription service whose log-out ends its streams.
struct EndingSubscriptions: SubscriptionService {
    let end: @Sendable () -> Void
    func logOut() async throws { end() }
}

/// A subscription service that does not answer.
struct SilentSubscriptions: SubscriptionService {
    let gate: Gate
    func logOut() async throws { await gate.pass() }
}

/// A participant that records when it is cleared, and follows a script.
struct NotingParticipant: Participant {
    let name: String
    let diary: Diary
    var holds: String { "notes" }
    var clears = Clearing.onSignOut
    var after: Set<String> = []
    var place = WipePlace.disk
    var failure: FarewellError?
    var left: @Sendable () -> [String] = { [] }

    func clear(_ occasion: WipeOccasion) async throws {
        diary.note(name)
        if let failure { throw failure }
    }

    func leftovers(_ occasion: WipeOccasion) async throws -> [String] { left() }
}
