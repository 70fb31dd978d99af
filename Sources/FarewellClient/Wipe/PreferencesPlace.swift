// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A set of preferences: the app's own, or a suite.
///
/// Apple platforms open no suite under the app's own bundle identifier: its preferences are `UserDefaults.standard`.
struct PreferencesPlace: Sendable {
    /// The name under which they are kept.
    let domain: String
    private let isOwn: Bool
    private let open: @Sendable (String) -> UserDefaults?

    /// - Parameters:
    ///   - suite: A suite's name; `nil`, and the app's own, name the app's preferences.
    ///   - own: The app's own name for its preferences.
    ///   - open: Opens a suite.
    init(
        suite: String?, own: String = Self.own, open: @escaping @Sendable (String) -> UserDefaults? = Self.suite
    ) {
        domain = suite ?? own
        isOwn = domain == own
        self.open = open
    }

    private static var own: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }
    private static let suite: @Sendable (String) -> UserDefaults? = { UserDefaults(suiteName: $0) }

    func opened() throws -> UserDefaults {
        if isOwn { return .standard }
        guard let defaults = open(domain) else {
            throw FarewellError("device.preferences", .yoursToFix, "The suite of preferences cannot be opened.")
        }
        return defaults
    }
}
