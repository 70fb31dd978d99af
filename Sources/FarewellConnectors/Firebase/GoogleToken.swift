// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A token that Google's services take for an hour. Shows nothing of itself.
package struct GoogleToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let text: String
    /// When it ends, in seconds since 1970.
    package let expires: Double
    /// Which project pays for what is asked with it, where that is not the project of the account.
    package var quotaProject: String?

    /// What goes with a call.
    var headers: [(name: String, value: String)] {
        [("Authorization", "Bearer \(text)")] + (quotaProject.map { [("x-goog-user-project", $0)] } ?? [])
    }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
