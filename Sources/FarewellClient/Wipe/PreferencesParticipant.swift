// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// What an app keeps of the person in `UserDefaults`. What belongs to the device, such as its appearance, survives.
public struct PreferencesParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    private let suite: String
    private let meant: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - suite: The name of the suite; an app's own is its bundle identifier.
    ///   - keys: What is the person's: of these keys, and of those that begin with one that ends in `*`.
    public init(
        _ name: String = "preferences", suite: String, keys: [String], holds: String = "preferences",
        clears: Clearing = .onSignOut
    ) {
        self.init(name: name, holds: holds, clears: clears, suite: suite) { key in
            keys.contains { $0.hasSuffix("*") ? key.hasPrefix($0.dropLast()) : key == $0 }
        }
    }

    /// - Parameter keys: What is the device's, and stays; everything else in the suite goes.
    public init(
        _ name: String = "preferences", suite: String, allBut keys: [String] = [], holds: String = "preferences",
        clears: Clearing = .onDeletion
    ) {
        self.init(name: name, holds: holds, clears: clears, suite: suite) { key in !keys.contains(key) }
    }

    private init(
        name: String, holds: String, clears: Clearing, suite: String, meant: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.holds = holds
        self.clears = clears
        self.suite = suite
        self.meant = meant
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        let defaults = try opened()
        for key in keys(defaults) { defaults.removeObject(forKey: key) }
        _ = defaults.synchronize()
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        // A key may hold a name of the person, so only their number is told.
        let count = keys(try opened()).count
        return count == 0 ? [] : ["\(count) keys"]
    }

    private func keys(_ defaults: UserDefaults) -> [String] {
        (defaults.persistentDomain(forName: suite) ?? [:]).keys.filter(meant)
    }

    private func opened() throws -> UserDefaults {
        guard let defaults = UserDefaults(suiteName: suite) else {
            throw FarewellError("device.preferences", .yoursToFix, "The suite of preferences cannot be opened.")
        }
        return defaults
    }
}
