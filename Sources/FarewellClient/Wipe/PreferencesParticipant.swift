// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The user's values in `UserDefaults`. Values of the device, such as its appearance, stay.
public struct PreferencesParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    private let place: PreferencesPlace
    private let meant: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - suite: The name of a suite, such as an app group; `nil` for the app's own preferences.
    ///   - keys: The user's keys; a key that ends in `*` names all keys with that beginning.
    public init(
        _ name: String = "preferences", suite: String? = nil, keys: [String], holds: String = "preferences",
        clears: Clearing = .onSignOut
    ) {
        self.init(name: name, holds: holds, clears: clears, place: PreferencesPlace(suite: suite), keys: keys)
    }

    /// - Parameter keys: The device's keys, which stay, like those of the system; a key that ends in `*` names all keys
    ///   with that beginning. Everything else in the suite is removed.
    public init(
        _ name: String = "preferences", suite: String? = nil, allBut keys: [String], holds: String = "preferences",
        clears: Clearing = .onDeletion
    ) {
        self.init(name: name, holds: holds, clears: clears, place: PreferencesPlace(suite: suite), allBut: keys)
    }

    init(name: String, holds: String, clears: Clearing, place: PreferencesPlace, keys: [String]) {
        self.init(name, holds, clears, place) { Self.names($0, in: keys) }
    }

    init(name: String, holds: String, clears: Clearing, place: PreferencesPlace, allBut keys: [String]) {
        self.init(name, holds, clears, place) { !Self.names($0, in: keys + Self.systemKeys) }
    }

    private init(
        _ name: String, _ holds: String, _ clears: Clearing, _ place: PreferencesPlace,
        meant: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.holds = holds
        self.clears = clears
        self.place = place
        self.meant = meant
    }

    /// Keys that systems write into an app's own preferences: the chosen language, text sizes, window frames.
    private static let systemKeys = ["Apple*", "NS*", "com.apple.*", "AK*", "PK*", "WebKit*", "INNextHearbeatDate"]

    private static func names(_ key: String, in keys: [String]) -> Bool {
        keys.contains { $0.hasSuffix("*") ? key.hasPrefix($0.dropLast()) : key == $0 }
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        let defaults = try place.opened()
        for key in keys(defaults) { defaults.removeObject(forKey: key) }
        _ = defaults.synchronize()
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        // A key may hold a name of the user, so only their number is reported.
        let count = keys(try place.opened()).count
        return count == 0 ? [] : ["\(count) keys"]
    }

    private func keys(_ defaults: UserDefaults) -> [String] {
        // Recent writes may not be in the stored domain yet.
        _ = defaults.synchronize()
        return (defaults.persistentDomain(forName: place.domain) ?? [:]).keys.filter(meant)
    }
}
